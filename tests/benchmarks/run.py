"""Runs benchmarks, each in a process of its own, and prints the ratios beside what they must be.

    python -m tests.benchmarks                        all, at full size
    python -m tests.benchmarks q02 q22 --profile      two, and where the time goes
    python -m tests.benchmarks tpch                   all of a summary, and what they are together
    python -m tests.benchmarks --json now.json        keep the figures
    python -m tests.benchmarks --compare then.json    and tell what changed since

The data are made on first use, in the directory that `MARSDASK_BENCH_DATA` names or in `.bench-data`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import statistics
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks import (  # noqa: F401 - they register their benchmarks
    clusters,
    durable,
    frames,
    h2o,
    spill,
    tensors,
    tpch,
    tpch_clusters,
)
from tests.benchmarks.ratio import (
    BENCHMARKS,
    OURS,
    SUMMARIES,
    Benchmark,
    Must,
    Samples,
    Summary,
    extra_peak,
    measure,
)


@dataclass(frozen=True)
class Row:
    """One line of the table. `ratios` has one entry per round, and none where a side is missing."""

    name: str
    against: str
    unit: str
    must: float | None
    ours: float | None
    theirs: float | None
    ratios: list[float]

    @property
    def ratio(self) -> float | None:
        return statistics.median(self.ratios) if self.ratios else None

    @property
    def verdict(self) -> str:
        if self.ratio is None:
            return "missing"
        if self.must is None:
            return ""
        return "ok" if self.ratio <= self.must else "MISSED"


def row(bench: Benchmark, must: Must, samples: Samples, scale: float) -> Row:
    """The line for one `must` of a benchmark."""
    figures = getattr(samples, must.unit)
    ours = figures.get(OURS, [])
    if must.per is None:
        theirs = figures.get(must.against, [])
        ratios = [a / b for a, b in zip(ours, theirs, strict=False)]
    else:
        theirs = []
        ratios = [a / must.per(scale) for a in ours]
    return Row(bench.name, must.against, must.unit, must.at_most, _median(ours), _median(theirs), ratios)


def summary_row(of: Summary, must: Must, measured: list[Samples]) -> Row:
    """The line for one `must` of a summary; without figures where one of its benchmarks lacks them."""
    sides = [
        (getattr(each, must.unit).get(OURS), getattr(each, must.unit).get(must.against)) for each in measured
    ]
    unit = must.unit if must.over == "geomean" else f"{must.unit} sum"
    if not all(ours and theirs for ours, theirs in sides):
        return Row(of.name, must.against, unit, must.at_most, None, None, [])
    mean = statistics.geometric_mean if must.over == "geomean" else sum
    ours, theirs = ([mean(each) for each in zip(*side, strict=True)] for side in zip(*sides, strict=True))
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return Row(of.name, must.against, unit, must.at_most, _median(ours), _median(theirs), ratios)


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def alone(function: Any, *args: Any) -> Any:
    """What `function(*args)` returns in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *args).result()


def measure_named(name: str, scale: float, pairs: int, only: set[str], profile: bool) -> Samples:
    return measure(BENCHMARKS[name], scale, pairs, only, profile=profile)


def extra_peak_named(name: str, side: str, scale: float) -> float:
    return extra_peak(BENCHMARKS[name], side, scale)


def measured(name: str, args: argparse.Namespace) -> Samples:
    """Samples of one benchmark: seconds from one process, memory from one process per side."""
    bench, only = BENCHMARKS[name], set(args.sides)
    if any(must.unit != "memory" for must in bench.musts):
        return alone(measure_named, name, args.scale, args.pairs, only, args.profile)
    samples = Samples()
    for side in bench.sides(args.scale / 1000):
        if not only or side in only:
            try:
                samples.memory[side] = [alone(extra_peak_named, name, side, args.scale)]
            except Exception as error:
                samples.failed[side] = f"{type(error).__name__}: {error}".split("\n")[0]
    return samples


HEADER = f"{'benchmark':<18}{'against':<18}{'unit':<8}{'ours':>10}{'theirs':>10}{'ratio':>9}  {'range':<14}{'must':>8}"


def line(row: Row) -> str:
    spread = f"{min(row.ratios):.3g}-{max(row.ratios):.3g}" if row.ratios else ""
    must = "" if row.must is None else f"<= {row.must:g}"
    figures = f"{_amount(row.ours, row.unit):>10}{_amount(row.theirs, row.unit):>10}"
    ratio = "-" if row.ratio is None else f"{row.ratio:.3g}"
    left = f"{row.name:<18}{row.against:<18}{row.unit:<8}"
    return f"{left}{figures}{ratio:>9}  {spread:<14}{must:>8}  {row.verdict}"


def _amount(amount: float | None, unit: str) -> str:
    if amount is None:
        return "-"
    if unit == "memory":
        return f"{amount / 2**20:.0f} MB"
    return f"{amount * 1000:.1f} ms" if amount < 1 else f"{amount:.2f} s"


def changes(rows: list[Row], old: dict[str, Any]) -> list[str]:
    """What became of the ratios since an older run, largest change first."""
    before = {(r["name"], r["against"], r["unit"]): r["ratios"] for r in old["rows"]}
    found = []
    for now in rows:
        then = before.get((now.name, now.against, now.unit))
        if then and now.ratio is not None:
            was = statistics.median(then)
            text = f"{now.name:<18}{now.against:<18}{now.unit:<8}{was:>9.3g} -> {now.ratio:<9.3g}"
            found.append((now.ratio / was, f"{text}{now.ratio / was - 1:>+8.0%}"))
    return [text for _, text in sorted(found, key=lambda pair: -abs(pair[0] - 1))]


def sides_table(name: str, samples: Samples) -> list[str]:
    """Bare medians of every side, for reference; quote the ratios."""
    lines = []
    for side in dict.fromkeys((*samples.cpu, *samples.memory)):
        cells = [
            f"{unit} {_amount(_median(getattr(samples, unit)[side]), unit)}"
            for unit in ("cpu", "wall", "memory")
            if side in getattr(samples, unit)
        ]
        lines.append(f"    {name}: {side:<16} {'  '.join(cells)}")
    return lines + [f"    {name}: {side:<16} {why}" for side, why in samples.failed.items()]


KNOWN = {name: (name,) for name in BENCHMARKS}
for _name, _summary in SUMMARIES.items():
    KNOWN[_name] = (*_summary.of, *KNOWN.get(_name, ()))
"""What a name on the command line stands for."""


def parsed(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"some of: {' '.join(KNOWN)}")
    parser.add_argument("--pairs", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--scale", type=float, default=1.0, help="size; 1 is full size")
    parser.add_argument("--sides", nargs="+", default=[], help="measure only these sides")
    parser.add_argument("--profile", action="store_true", help="print where the calling thread's time goes")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    parser.add_argument("--compare", type=Path, help="an older --json: print what changed")
    args = parser.parse_args(argv)
    unknown = set(args.names) - set(KNOWN)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are: {' '.join(KNOWN)}")
    args.names = list(dict.fromkeys(each for name in args.names or BENCHMARKS for each in KNOWN[name]))
    return args


def main(argv: list[str] | None = None) -> int:
    """Measures and prints; 1 if a bound was missed or could not be measured, else 0."""
    args = parsed(argv)
    rows: list[Row] = []
    notes: list[str] = []
    print(HEADER, flush=True)
    every: dict[str, Samples] = {}
    for name in args.names:
        samples = every[name] = measured(name, args)
        for must in BENCHMARKS[name].musts:
            rows.append(row(BENCHMARKS[name], must, samples, args.scale))
            print(line(rows[-1]), flush=True)
        notes += sides_table(name, samples)
        notes += [f"\n{name}, {side}:\n{text}" for side, text in samples.profiles.items()]
    for each in SUMMARIES.values():
        for must in each.musts if every.keys() >= set(each.of) else ():
            rows.append(summary_row(each, must, [every[name] for name in each.of]))
            print(line(rows[-1]), flush=True)
    print("\nEvery side, medians of this run:", *notes, sep="\n")
    if args.compare:
        print("\nRatios, then and now:", *changes(rows, json.loads(args.compare.read_text())), sep="\n")
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(
            json.dumps({"versions": versions(), "rows": [asdict(r) for r in rows]}, indent=1)
        )
    return int(any(row.must is not None and row.verdict != "ok" for row in rows))


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("dask", "numpy", "pandas")} | {
        "python": platform.python_version()
    }

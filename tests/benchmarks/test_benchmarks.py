"""Every benchmark once, tiny: all its sides give the same answer. Nothing is timed here."""

from __future__ import annotations

import sys

import pytest

from tests.benchmarks import clusters, data, durable, run, tpch_clusters
from tests.benchmarks.ratio import BENCHMARKS, OURS, Must, Samples, Summary, alike, settings, value

SCALE = 0.001

# Dask's read_parquet resets an index in place, which pandas 3.1 deprecates.
pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index"),
]
CLUSTERS = {clusters.__name__, durable.__name__, tpch_clusters.__name__}
SIDES = [
    pytest.param(name, marks=pytest.mark.processes if each.sides.__module__ in CLUSTERS else ())
    for name, each in BENCHMARKS.items()
]


@pytest.fixture(autouse=True, scope="module")
def data_directory(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARSDASK_BENCH_DATA", str(tmp_path_factory.mktemp("bench-data")))
        with settings():
            yield
    data.tpch.cache_clear()


@pytest.mark.parametrize("name", SIDES)
def test_sides_agree(name):
    try:
        answers = {side: value(prepare()()) for side, prepare in BENCHMARKS[name].sides(SCALE).items()}
    finally:
        clusters.close()
    ours = answers.pop(OURS)
    for side, answer in answers.items():
        assert alike(ours, answer), f"{side} answers\n{answer}\nwe answer\n{ours}"


@pytest.mark.parametrize("name", BENCHMARKS)
def test_bounds_name_sides(name):
    sides = BENCHMARKS[name].sides(SCALE)
    assert OURS in sides
    assert all(must.per or must.against in sides for must in BENCHMARKS[name].musts)


def test_the_figure_is_the_median_of_neighbours():
    samples = Samples(cpu={OURS: [1.0, 2.0, 30.0], "dask": [2.0, 2.0, 10.0]})
    row = run.row(BENCHMARKS["q06"], Must("dask", 0.9), samples, 1.0)
    assert (row.ratios, row.ratio, row.verdict) == ([0.5, 1.0, 3.0], 1.0, "MISSED")
    missing = run.row(BENCHMARKS["q06"], Must("pandas", 0.9), samples, 1.0)
    assert missing.verdict == "missing"


def test_a_summary_is_a_mean_of_each_round_or_a_ratio_of_totals():
    of = Summary("both", ("q01", "q06"), ())
    measured = [
        Samples(cpu={OURS: [1.0, 2.0], "dask": [2.0, 2.0]}),
        Samples(cpu={OURS: [8.0, 8.0], "dask": [1.0, 2.0]}),
    ]
    assert run.summary_row(of, Must("dask"), measured).ratios == pytest.approx([2, 2])
    assert run.summary_row(of, Must("dask", over="total"), measured).ratios == [9 / 3, 10 / 4]
    assert run.summary_row(of, Must("polars", 2.0), measured).verdict == "missing"


def test_a_run_is_kept_and_compared(tmp_path, capsys):
    kept = tmp_path / "old.json"
    arguments = ["node", "--scale", "0.001", "--pairs", "2"]
    assert run.main([*arguments, "--json", str(kept)]) in (0, 1)
    assert run.main([*arguments, "--compare", str(kept)]) in (0, 1)
    assert "then and now" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="never: only Linux can forget a process's peak memory")
def test_extra_peak_memory_is_measured(capsys):
    run.main(["chain_memory", "--scale", "0.1", "--sides", "numpy"])
    temporary = 8 * (8000**2) * 0.1 / 2**20
    measured = float(capsys.readouterr().out.split("memory ")[-1].split()[0])
    assert measured == pytest.approx(temporary, rel=0.2)


def test_an_unknown_name_is_told():
    with pytest.raises(SystemExit):
        run.main(["q99"])

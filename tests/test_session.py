"""Sessions: results held by handles, shared, freed; errors of use; Dask's protocol."""

import gc
import pickle
import re
import warnings
from collections.abc import Iterator

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest

import marsdask
import marsdask.dataframe as md
import marsdask.tensor as mt
from marsdask.errors import MarsDaskError, SessionClosed, WouldRun, WrongSession
from marsdask.plan.meta import nothing_runs, raising_scheduler
from marsdask.session import Session, clear_default_session, new_session
from tests.oracle import assert_like
from tests.processes import PATIENCE


@pytest.fixture
def session() -> Iterator[Session]:
    with new_session(default=False) as session:
        yield session


def test_execute_returns_the_same_object_and_runs_once(session: Session) -> None:
    t = mt.tensor([1.0, 2.0]) + 1
    assert t.execute(session=session) is t
    first = t._result
    t.execute(session=session)
    assert t._result is first
    assert t.fetch().tolist() == [2.0, 3.0]


def test_top_level_forms(session: Session) -> None:
    a, b = mt.ones((2,)), mt.ones((3,)) * 2
    assert marsdask.execute(a, b, session=session) == [a, b]
    assert marsdask.execute([a, b], session=session) == [a, b]
    assert marsdask.execute(a, session=session) is a
    assert [v.tolist() for v in marsdask.fetch(a, b)] == [[1, 1], [2, 2, 2]]
    assert [v.tolist() for v in marsdask.fetch([a, b])] == [[1, 1], [2, 2, 2]]
    assert marsdask.fetch((a,)).tolist() == [1, 1]
    with pytest.raises(TypeError):
        marsdask.execute()
    with pytest.raises(TypeError, match="ndarray"):
        marsdask.execute(np.ones(3))
    with pytest.raises(TypeError):
        a.execute(nonsense=True)


def test_results_are_freed_with_their_last_handle(session: Session) -> None:
    a = (mt.ones((10,)) + 1).execute(session=session)
    b = (a * 2).execute(session=session)
    assert len(session.results) == 2
    other = mt.ones((10,)) + 1  # equal, unexecuted: does not hold a's data
    del a
    gc.collect()
    assert len(session.results) == 1
    assert not other.is_executed()
    del b
    gc.collect()
    assert len(session.results) == 0


def test_equal_work_is_shared_and_outlives_its_first_handle(session: Session) -> None:
    a = (mt.ones((10,)) + 1).execute(session=session)
    b = (mt.ones((10,)) + 1).execute(session=session)
    assert a._result is b._result
    del a
    gc.collect()
    assert len(session.results) == 1
    del b
    gc.collect()
    assert len(session.results) == 0


def test_unexecuted_work_holds_what_it_will_read(session: Session) -> None:
    a = (mt.ones((10,)) + 1).execute(session=session)
    later = a * 2 + a
    del a
    gc.collect()
    assert len(session.results) == 1
    later.execute(session=session)
    gc.collect()
    assert len(session.results) == 1  # now its own only
    assert later.fetch().tolist() == [6.0] * 10


def test_rebinding_frees(session: Session) -> None:
    a = (mt.ones((10,)) + 1).execute(session=session)
    a += 1
    assert not a.is_executed()
    assert len(session.results) == 1  # the old data, which the new node reads
    a.execute(session=session)
    gc.collect()
    assert len(session.results) == 1


def test_fetch_before_execute() -> None:
    t = mt.ones((2,)) + 41
    with pytest.raises(ValueError, match="Cannot fetch unexecuted tileable"):
        t.fetch()


def test_other_session_is_refused(session: Session) -> None:
    t = (mt.ones((2,)) + 1).execute(session=session)
    with new_session(default=False) as other:
        with pytest.raises(WrongSession, match="executed in"):
            t.execute(session=other)
        with pytest.raises(ValueError):
            (t + 1).execute(session=other)
        with pytest.raises(ValueError):
            t.fetch(session=other)


def test_closed_session() -> None:
    session = new_session(default=False)
    t = (mt.ones((2,)) + 1).execute(session=session)
    session.close()
    session.close()
    with pytest.raises(RuntimeError, match="Session closed already"):
        mt.ones((2,)).execute(session=session)
    with pytest.raises(SessionClosed):
        t.fetch(session=session)
    assert "op=add" in repr(t)
    assert t.execute().fetch().tolist() == [2.0, 2.0]  # the lineage runs again in another session


def test_the_default_before_is_the_default_again() -> None:
    clear_default_session()
    t = (mt.ones(3) + 1).execute()
    first = marsdask.get_default_session()
    with new_session() as second:
        with new_session() as third:
            assert marsdask.get_default_session() is third
            second.as_default()
        assert marsdask.get_default_session() is second
    assert marsdask.get_default_session() is first
    assert (t * 2).execute().fetch().tolist() == [4.0] * 3
    clear_default_session()
    assert marsdask.get_default_session() is None


def test_default_session_is_made_and_forgotten() -> None:
    clear_default_session()
    assert marsdask.get_default_session() is None
    mt.ones((2,)).execute()
    assert marsdask.get_default_session() is not None
    marsdask.stop_server()
    marsdask.stop_server()
    assert marsdask.get_default_session() is None


@pytest.mark.parametrize(
    ("kwargs", "name"),
    [({"n_worker": 0}, "n_worker"), ({"n_cpu": "2"}, "n_cpu"), ({"n_workers": 2}, "n_worker")],
)
def test_bad_session_arguments(kwargs: dict, name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=name) as caught:
        new_session(**kwargs)
    assert isinstance(caught.value, MarsDaskError)


def test_wait_false(session: Session) -> None:
    t = mt.ones((2,)) + 1
    info = t.execute(session=session, wait=False)
    assert info.result(timeout=PATIENCE) is t
    assert info.done()
    assert info.progress() == 1.0
    assert info.exception() is None


def test_floating_point_errors_are_raised_where_numpy_is_told_to() -> None:
    t = mt.ones((4, 4), chunk_size=2)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        (t / 0).execute()
    with np.errstate(divide="ignore"):
        assert (t / 0).max().execute().fetch() == np.inf


def test_eager_mode() -> None:
    with marsdask.option_context({"eager_mode": True}):
        t = mt.tensor([1.0, -2.0, 3.0], chunk_size=2)
        u = t[t > 0]
        assert u.shape == (2,)
        assert u.fetch().tolist() == [1.0, 3.0]
        assert repr(u) == repr(np.array([1.0, 3.0]))
        frame = md.DataFrame({"a": [1, 2]})
        assert frame.is_executed()
    assert not (t + 1).is_executed()


def test_eager_mode_runs_what_is_written() -> None:
    with marsdask.option_context({"eager_mode": True}):
        t = mt.arange(10.0, chunk_size=3)
        part = t[2:8]
        every = part[::2]
        t[4] = 100
        assert every.fetch().tolist() == [2, 100, 6]
        every[0] = -1
        part *= 2
        assert t.fetch().tolist() == [0, 1, -2, 6, 200, 10, 12, 14, 8, 9]
        t.shape = (2, 5)
        np.add.at(t, [0], 1)
        assert t.fetch().tolist() == [[1, 2, -1, 7, 201], [10, 12, 14, 8, 9]]
        out = mt.zeros(5)
        mt.sum(t, axis=0, out=out)
        out.sort()
        assert out.fetch().tolist() == [11, 13, 14, 15, 210]
        frame = md.DataFrame({"a": [3, 1, 2]}, chunk_size=2)
        column = frame["a"]
        frame["b"] = frame["a"] * 2
        frame += 1
        frame.sort_values("a", inplace=True)
        frame.loc[0, "a"] = 9
        frame.columns = ["x", "y"]
        want = pd.DataFrame({"x": [2, 3, 9], "y": [3, 5, 7]}, index=[1, 2, 0])
        assert_like(frame.fetch(), want)
        column.iloc[0] = 5
        column.name = "q"
        assert_like(column.fetch(), pd.Series([5, 1, 2], name="q"))


def test_guard_raises_and_metadata_pass_it() -> None:
    with nothing_runs():
        with pytest.raises(WouldRun):
            da.ones(3).compute()
        t = mt.tensor(np.arange(12.0).reshape(3, 4), chunk_size=2)
        u = ((t + 1) * 2)[t > 3]
        assert np.isnan(u.shape[0])
        assert u.dtype == np.float64
        frame = md.DataFrame({"a": [1, 2], "b": [1.0, 2.0]}, chunk_size=1)
        kept = frame[frame.a > 1]
        assert list(kept.columns) == ["a", "b"]
        assert np.isnan(kept.shape[0])
    with pytest.raises(WouldRun):
        raising_scheduler({}, [])


def test_warn_duplicated_execution(session: Session) -> None:
    t = mt.ones((3,)) + 17
    t.execute(session=session)
    again = mt.ones((3,)) + 17
    del t
    with pytest.warns(RuntimeWarning, match="submitted before"):  # noqa: PT031 - either may warn
        again.execute(session=session, warn_duplicated_execution=True)
        (mt.ones((3,)) + 17).execute(warn_duplicated_execution=True)


def test_warn_of_what_runs_again_below_others(session: Session) -> None:
    shared = mt.tensor(np.arange(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (shared + 1).execute(warn_duplicated_execution=True)
    again = re.escape(f"Tileable {shared!r} has been submitted before")
    with pytest.warns(RuntimeWarning, match=again):
        (shared + 2).execute(warn_duplicated_execution=True)


def test_progress_bar(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    mt.ones((4,), chunk_size=1).sum().execute(session=session, show_progress=True)
    assert "100%" in capsys.readouterr().err
    mt.ones((4,), chunk_size=1).sum().execute(session=session, show_progress=False)
    assert capsys.readouterr().err == ""


class TestDask:
    """Every handle is a Dask collection."""

    def test_tensor(self) -> None:
        t = mt.tensor(np.arange(6.0), chunk_size=2) * 2
        assert dask.is_dask_collection(t)
        (value,) = dask.compute(t)
        assert value.tolist() == [0, 2, 4, 6, 8, 10]
        assert dask.base.tokenize(t) == dask.base.tokenize(t)
        (kept,) = dask.persist(t)
        assert isinstance(kept, mt.Tensor)
        assert kept.execute().fetch().tolist() == value.tolist()
        assert dask.delayed(sum)(t).compute() == 30
        assert t.compute().tolist() == value.tolist()
        before = dask.base.tokenize(t)
        t[0] = 5
        assert dask.base.tokenize(t) != before

    def test_frame(self) -> None:
        whole = pd.DataFrame({"a": [1, 2, 3], "b": list("xyz")})
        frame = md.DataFrame(whole, chunk_size=2)
        assert dask.is_dask_collection(frame)
        (value,) = dask.compute(frame)
        pd.testing.assert_frame_equal(value, whole)
        (kept,) = dask.persist(frame)
        pd.testing.assert_frame_equal(kept.execute().fetch(), whole)

    def test_keys_are_the_same_on_every_call(self) -> None:
        t = mt.tensor(np.arange(6.0), chunk_size=2) * 2
        assert t.__dask_keys__() == t.__dask_keys__()
        assert set(dask.core.flatten(t.__dask_keys__())) <= set(t.__dask_graph__())

    def test_to_dask(self) -> None:
        t = mt.tensor(np.arange(6.0), chunk_size=2) * 2
        assert isinstance(t.to_dask(), da.Array)
        assert t.to_dask().sum().compute() == 30
        mixed = mt.tensor(da.arange(4, chunks=2)) + 1
        assert mixed.execute().fetch().tolist() == [1, 2, 3, 4]


def test_handles_pickle_unexecuted(session: Session) -> None:
    t = mt.tensor([1.0, 2.0]) + 1
    again = pickle.loads(pickle.dumps(t))
    assert again.execute().fetch().tolist() == [2.0, 3.0]
    frame = md.DataFrame({"a": [1, 2]})
    assert pickle.loads(pickle.dumps(frame)).execute().fetch()["a"].tolist() == [1, 2]
    assert pickle.loads(pickle.dumps(t.execute(session=session))).execute().fetch().tolist() == [2.0, 3.0]

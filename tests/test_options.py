"""Options: Mars's names over dask.config."""

import threading

import dask
import pytest

import marsdask.remote as mr
from marsdask import option_context, options
from marsdask.errors import MarsDaskError
from tests.processes import PATIENCE


def test_context_sets_and_restores() -> None:
    before = options.chunk_size
    with option_context({"chunk_size": 7, "tensor.chunk_store_limit": 1000}) as inside:
        assert inside.chunk_size == 7
        assert options.chunk_store_limit == 1000
    assert options.chunk_size == before


def test_dotted_access() -> None:
    assert options.optimize.head_optimize_threshold == 1000
    assert "optimize" in dir(options)
    assert "fuse" in dir(options.optimize)
    assert "pass: elementwise chains" in repr(options.optimize)


def test_dask_config_can_set_them() -> None:
    with dask.config.set({"marsdask.options.combine_size": 8}):
        assert options.combine_size == 8


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("chunk_size", "3", "int"),
        ("chunk_size", 0, "1 or more"),
        ("chunk_size", True, "int"),
        ("chunk_store_limit", "1k", "int or float"),
        ("show_progress", "maybe", "auto"),
        ("eager_mode", 1, "bool"),
        ("row_order", "hash", "pandas"),
    ],
)
def test_bad_values(name: str, value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught, option_context({name: value}):
        pass
    assert "Cannot set value" in str(caught.value)
    assert isinstance(caught.value, MarsDaskError)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'chunk_size'"):
        options.chunk_sizes  # noqa: B018
    with pytest.raises(AttributeError):
        options.chunk_sizes = 3
    with pytest.raises(AttributeError), option_context({"nope": 1}):
        pass


def test_blocks_of_two_threads_do_not_meet() -> None:
    first, second = threading.Event(), threading.Event()
    seen = []

    def other() -> None:
        with option_context({"chunk_size": 5}):
            first.set()
            assert second.wait(PATIENCE)
            seen.append(options.chunk_size)

    before = options.chunk_size
    thread = threading.Thread(target=other)
    try:
        with option_context({"chunk_size": 7}):
            thread.start()
            assert first.wait(PATIENCE)
            assert options.chunk_size == 7
    finally:
        second.set()
        thread.join()
    assert seen == [5]
    assert options.chunk_size == before


def test_what_is_set_in_a_block_ends_with_it() -> None:
    before = options.combine_size
    with option_context({"chunk_size": 7}):
        options.combine_size = 9
        assert options.combine_size == 9
    assert options.combine_size == before


def test_work_that_is_not_waited_for_has_the_options_of_its_block() -> None:
    seen = []

    def note() -> int:
        seen.append(options.combine_size)
        return 1

    with option_context({"combine_size": 17}):
        info = mr.spawn(note).execute(wait=False, extra_config={"chunk_size": 3})
    assert info.result(timeout=PATIENCE).fetch() == 1
    assert seen == [17]
    assert options.chunk_size != 3

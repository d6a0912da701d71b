"""Random tensors: fixed when made, reproducible, of the right distribution, over any chunks."""

import pickle

import numpy as np
import pytest

import marsdask.tensor as mt
from marsdask.errors import Unbuilt

PARAMETERS = {
    "beta": (2, 3), "binomial": (10, 0.3), "chisquare": (3,), "f": (3, 9), "gamma": (2,), "geometric": (0.3,),
    "hypergeometric": (10, 5, 4), "logseries": (0.4,), "negative_binomial": (5, 0.4), "noncentral_chisquare": (3, 1),
    "noncentral_f": (3, 9, 1), "pareto": (9,), "power": (2,), "standard_gamma": (2,), "standard_t": (9,),
    "triangular": (0, 1, 3), "vonmises": (0, 2), "wald": (1, 2), "weibull": (2,), "zipf": (4,), "randint": (2, 9),
    "random_integers": (2, 9),
}  # fmt: skip
PLAIN = (
    "exponential", "gumbel", "laplace", "logistic", "lognormal", "normal", "poisson", "rayleigh", "standard_exponential",
    "standard_normal", "uniform", "random_sample", "random", "ranf", "sample",
)  # fmt: skip


@pytest.mark.parametrize("name", [*PARAMETERS, *PLAIN])
def test_distribution_shape_and_dtype(name: str) -> None:
    args = PARAMETERS.get(name, ())
    legacy = {"random_integers": "randint", "ranf": "random_sample", "sample": "random_sample"}
    theirs = getattr(np.random.RandomState(0), legacy.get(name, name))
    want = theirs(*args, size=20_000)
    t = getattr(mt.random.RandomState(1), name)(*args, size=(200, 100), chunk_size=60)
    assert t.shape == (200, 100)
    assert t.dtype == want.dtype
    ours = t.execute().fetch()
    assert ours.dtype == want.dtype
    if name != "random_integers":
        spread = want.std() / np.sqrt(want.size)
        assert abs(ours.mean() - want.mean()) < 8 * spread
    assert len(np.unique(ours[:60].ravel()[:1000])) > 1


@pytest.mark.parametrize(
    "text", ["rand()", "randint(10)", "choice(10)", "choice([4, 5, 6])", "normal()", "poisson(3, ())"]
)
def test_one_draw(text: str) -> None:
    one, same = (eval(f"s.{text}", {"s": mt.random.RandomState(3)}).execute().fetch() for _ in range(2))
    assert np.ndim(one) == 0
    assert one == same
    assert 0 <= one < 10 or text == "normal()"


def test_a_tensor_draws_once() -> None:
    t = mt.random.rand(50, chunk_size=7)
    np.testing.assert_array_equal((t - t).execute().fetch(), np.zeros(50))
    first = t.execute().fetch()
    np.testing.assert_array_equal((t + 0).execute().fetch(), first)
    a, b = mt.random.rand(50), mt.random.rand(50)
    assert (a.execute().fetch() != b.execute().fetch()).all()


def test_seeds() -> None:
    def drawn(chunk_size: int) -> np.ndarray:
        state = mt.random.RandomState(11)
        return np.concatenate([state.normal(size=20, chunk_size=chunk_size).execute().fetch(),
                               state.rand(3).execute().fetch()])  # fmt: skip

    np.testing.assert_array_equal(drawn(6), drawn(6))
    assert (drawn(6)[6:20] != drawn(9)[6:20]).any()
    mt.random.seed(4)
    first = mt.random.randn(5).execute().fetch()
    mt.random.seed(4)
    np.testing.assert_array_equal(mt.random.randn(5).execute().fetch(), first)
    state = mt.random.RandomState.from_numpy(np.random.RandomState(3))
    assert isinstance(state.to_numpy(), np.random.RandomState)
    assert len(mt.random.bytes(5)) == 5


def test_parameters_that_are_tensors() -> None:
    loc = mt.tensor(np.arange(12.0).reshape(3, 4) * 1000, chunk_size=2)
    t = mt.random.normal(loc, mt.tensor([1.0, 2, 3, 4], chunk_size=3))
    assert t.shape == (3, 4)
    assert np.abs(t.execute().fetch() - np.arange(12.0).reshape(3, 4) * 1000).max() < 50
    big = mt.random.normal(loc[0], 1, size=(5, 4), chunk_size=2).execute().fetch()
    assert np.abs(big - np.arange(4.0) * 1000).max() < 50


def test_vectors() -> None:
    t = mt.random.multinomial(20, [0.2, 0.3, 0.5], size=(4, 3), chunk_size=2)
    assert t.shape == (4, 3, 3)
    assert (t.execute().fetch().sum(axis=-1) == 20).all()
    np.testing.assert_allclose(mt.random.dirichlet([1, 2], 5).execute().fetch().sum(axis=1), 1)
    mean = (
        mt.random.multivariate_normal([0, 100], [[1, 0], [0, 1]], size=500, chunk_size=99)
        .execute()
        .fetch()
        .mean(axis=0)
    )
    np.testing.assert_allclose(mean, [0, 100], atol=0.5)


@pytest.mark.parametrize("chunks", [4, ((1, 0, 19),), 20])
def test_permutation_and_shuffle(chunks: object) -> None:
    data = np.arange(20)
    t = mt.tensor(data, chunk_size=chunks)
    mixed = mt.random.permutation(t).execute().fetch()
    assert sorted(mixed) == list(data)
    assert (mixed != data).any()
    rows = mt.tensor(np.arange(40).reshape(20, 2), chunk_size=3)
    alias = rows
    assert mt.random.shuffle(rows) is None
    after = alias.execute().fetch()
    assert (after[:, 1] == after[:, 0] + 1).all()
    assert sorted(after[:, 0]) == list(range(0, 40, 2))
    columns = mt.random.RandomState(1).permutation(rows.T, axis=-1).execute().fetch()
    assert (columns[1] == columns[0] + 1).all()
    assert sorted(columns[0]) == list(range(0, 40, 2))
    assert (columns[0] != after[:, 0]).any()
    with pytest.raises(ValueError, match="axis"):
        mt.random.permutation(rows, axis=2)


def test_every_order_is_as_likely() -> None:
    state = mt.random.RandomState(0)
    seen = [tuple(state.permutation(3, chunk_size=1).execute().fetch()) for _ in range(240)]
    counts = [seen.count(each) for each in sorted(set(seen))]
    assert len(counts) == 6
    assert min(counts) > 15


def test_choice() -> None:
    state = mt.random.RandomState(2)
    assert sorted(state.choice(30, 30, replace=False).execute().fetch()) == list(range(30))
    many = state.choice([3, 5, 8], (100, 30), p=[0.1, 0.0, 0.9], chunk_size=40)
    assert many.shape == (100, 30)
    data = many.execute().fetch()
    assert set(np.unique(data)) == {3, 8}
    assert abs((data == 8).mean() - 0.9) < 0.03
    few = (
        state.choice(mt.tensor([1, 2, 3, 4], chunk_size=2), 2, replace=False, p=[0, 0.5, 0.5, 0])
        .execute()
        .fetch()
    )
    assert sorted(few) == [2, 3]
    x = mt.tensor(np.arange(10), chunk_size=3)
    assert set(state.choice(x[x > 6], 40).execute().fetch()) == {7, 8, 9}  # of unknown length
    assert state.choice(5).shape == ()
    assert state.choice(7, (2, 3), replace=False).shape == (2, 3)


def test_bad_arguments() -> None:
    for call in (
        lambda: mt.random.normal(0, -1, 3), lambda: mt.random.choice(3, 5, replace=False), lambda: mt.random.choice(3, 2, p=[1, 1, 1]),
        lambda: mt.random.rand(-1), lambda: mt.random.choice(0, 2), lambda: mt.random.randint(5, 2, 3), lambda: mt.random.RandomState(-1),
        lambda: mt.random.normal(mt.tensor([1.0, 2]), size=(3,)), lambda: mt.random.choice(3, 2, p=[0.5, 0.5]), lambda: mt.random.permutation(mt.tensor(3.0)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"."):
            call()
    for call in (
        lambda: mt.random.normal(size="3"), lambda: mt.random.RandomState("x"), lambda: mt.random.normal(nope=1), lambda: mt.random.shuffle([1]),
        lambda: mt.random.rand(2.5),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"."):
            call()
    with pytest.raises(Unbuilt, match="gpu"):
        mt.random.rand(3, gpu=True)
    with pytest.raises(Unbuilt, match="density"):
        mt.random.randint(0, 3, 5, density=0.5)


def test_nodes_travel() -> None:
    t = mt.random.RandomState(5).gamma(2, size=9, chunk_size=4)
    again = pickle.loads(pickle.dumps(t.node))
    from marsdask.plan import registry

    np.testing.assert_array_equal(registry.wrap(again).execute().fetch(), t.execute().fetch())

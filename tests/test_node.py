"""Nodes are frozen values."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import marsdask.tensor as mt
from marsdask.plan.node import Data, Node, inputs, rebuilt, replace, token, walk


def small() -> Node:
    return Node("add", (Node("ones", ((3,),)), 1), {"where": [Node("ones", ((3,),)), slice(0, 2)]})


def test_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        small().op = "sub"
    with pytest.raises(AttributeError, match="frozen"):
        del small().op


def test_equal_by_what_they_say() -> None:
    assert small() == small()
    assert hash(small()) == hash(small())
    assert small() != Node("add", (Node("ones", ((3,),)), 2))
    assert Node("f", (1,)) != Node("f", (1.0,))
    assert Node("f", (True,)) != Node("f", (1,))
    assert Node("f", ((1, 2),)) != Node("f", ([1, 2],))
    assert Node("f", (slice(1, 2),)) != Node("f", (slice(1, None),))
    assert Node("f", ("ab", "c")) != Node("f", ("a", "bc"))


def test_token_is_the_same_in_another_process() -> None:
    code = "from tests.test_node import small; from marsdask.plan.node import token; print(token(small()))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == token(small())


def test_pickles_with_its_token() -> None:
    node = Node("data", (Data(np.arange(3)),))
    again = pickle.loads(pickle.dumps(node))
    assert again == node
    assert again.args[0].value.tolist() == [0, 1, 2]


def test_data_is_never_hashed() -> None:
    array = np.arange(3)
    assert Node("data", (Data(array),)) != Node("data", (Data(array),))


def test_long_chains_do_not_recurse() -> None:
    node = Node("ones", ((3,),))
    for _ in range(20_000):
        node = Node("add", (node, 1))
    assert len(walk([node])) == 20_001
    assert len(token(node)) == 32


def test_inputs_are_found_in_containers() -> None:
    assert len(inputs(small())) == 2
    assert rebuilt(small(), lambda n: n).kwargs["where"][1] == slice(0, 2)


def test_long_expression_runs() -> None:
    t = mt.ones((4,), chunk_size=2)
    for _ in range(1500):
        t = t + 1
    assert t.execute().fetch().tolist() == [1501.0] * 4


def test_walk_gives_inputs_before_users_and_each_once() -> None:
    leaf = Node("ones", ((3,),))
    left, right = Node("add", (leaf, leaf)), Node("mul", (leaf, 2))
    top = Node("sub", (right, left), {"where": [leaf, right]})
    order = walk([top, left])
    assert [n.op for n in order] == ["ones", "mul", "add", "sub"]
    assert walk([top], lambda n: [] if n is right else inputs(n))[0] is right


def test_what_does_not_change_is_the_same_object() -> None:
    node = small()
    assert replace(node.kwargs, lambda n: n) is node.kwargs
    assert rebuilt(node, lambda n: n) is node
    other = Node("zeros", ((3,),))
    new = rebuilt(node, lambda n: other)
    assert inputs(new) == (other, other)
    assert new.kwargs["where"] == [other, slice(0, 2)]
    assert new.args == (other, 1)

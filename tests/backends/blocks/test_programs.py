"""Programs of blocks hear each other, and exact sums know no order."""

import numpy as np
import pytest

from graphwell.backends.blocks.programs import Member, Message, Said, alone, in_lockstep, rounded


def told(values, rounds):
    """Say the values, and after each round what was heard; return all that was heard."""
    heard = []
    for number in range(rounds):
        found = yield Said(values + number, np.array([values.sum()]), np.array([values.max()]))
        heard.append((found.halo.tolist(), found.sums.tolist(), found.peaks.tolist()))
    return heard


def test_a_block_hears_its_halo_in_order_and_the_sums_of_all():
    first, second, third = np.array([1, 2, 3]), np.array([10, 20]), np.array([100])
    members = {
        0: Member(told(first, 2), {2: np.array([0, 2])}, ()),
        1: Member(told(second, 2), {2: np.array([1])}, ()),
        2: Member(told(third, 2), {}, (0, 1)),
    }
    found = in_lockstep(members, alone)
    assert found[2] == [([1, 3, 20], [136], [100]), ([2, 4, 21], [136], [100])]
    assert found[0] == [([], [136], [100]), ([], [136], [100])]


def test_what_others_say_elsewhere_is_heard_too():
    sent = []

    def exchange(message):
        sent.append(message)
        return [Message({(1, 0): np.array([7])}, np.array([5]), np.array([50]))]

    members = {0: Member(told(np.array([1, 2]), 1), {1: np.array([1])}, (1,))}
    assert in_lockstep(members, exchange) == {0: [([7], [8], [50])]}
    assert sent[0].pieces[0, 1].tolist() == [2]


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e20])
def test_rounded_values_have_the_same_sum_in_any_order(scale):
    rng = np.random.default_rng(0)
    values = scale * rng.normal(size=100_000) * 10.0 ** rng.uniform(-6, 0, size=100_000)
    bound = np.abs(values).sum()
    exact = rounded(values, bound)
    sums = {float(exact[rng.permutation(100_000)].sum()) for _ in range(5)}
    sums |= {float(sum(part.sum() for part in np.array_split(exact, 7)))}
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(values.sum(), abs=1e-9 * bound)
    plain = {float(values[rng.permutation(100_000)].sum()) for _ in range(5)}
    assert len(plain) > 1

"""Adaptive procedures find the threshold of a participant whose psychometric function is known."""
import random

import numpy as np
import pytest

import hapticd
from hapticd.experiment import Quest, Staircase, full_factorial, trial_list, weibull


def run(procedure, threshold, seed, slope=3.5):
    source = random.Random(seed)
    while not procedure.finished:
        procedure.answer(source.random() < weibull(procedure.level, threshold, slope))
    return procedure.estimate()


def level_of(probability, threshold, slope=3.5, guess=0.5, lapse=0.02):
    return threshold * (-np.log1p(-(probability - guess) / (1 - guess - lapse))) ** (1 / slope)


@pytest.mark.parametrize("down, probability", [(2, 0.5 ** (1 / 2)), (3, 0.5 ** (1 / 3))])
def test_staircase_converges_to_levitt_s_point(down, probability):
    """The mean of 200 staircases is within half a step of the point: a staircase of finite step is biased by part of
    one, and the mean's own error is a fourteenth of a staircase's, below 1 %."""
    found = [run(Staircase(30.0, down=down, factor=1.1, reversals=30, discard=10), 10.0, seed) for seed in range(200)]
    assert np.exp(np.mean(np.log(found))) == pytest.approx(level_of(probability, 10.0), rel=0.05)


def test_quest_finds_the_threshold_and_knows_how_well():
    """100 runs of 60 trials: the mean of 100 has a tenth of the spread of one (0.1), so 3 % is three of its errors."""
    quests = [Quest(20.0, trials=60) for _ in range(100)]
    found = [run(quest, 10.0, seed) for seed, quest in enumerate(quests)]
    assert np.exp(np.mean(np.log(found))) == pytest.approx(10.0, rel=0.03)
    stated, real = np.mean([quest.spread() for quest in quests]), np.std(np.log(found))
    assert real == pytest.approx(stated, rel=0.35)  # of 100 runs the standard deviation is known to 7 %, and bias


def test_staircase_by_hand():
    stairs = Staircase(8.0, up=1, down=2, factor=2.0, reversals=3, discard=0)
    for correct, level in [(True, 8), (True, 4), (True, 4), (True, 2), (False, 4), (True, 4), (True, 2), (False, 4)]:
        stairs.answer(correct)
        assert stairs.level == level
    assert stairs.reversal_levels == [2.0, 4.0, 2.0] and stairs.finished
    assert stairs.estimate() == pytest.approx(16 ** (1 / 3))  # the geometric mean of 2, 4 and 2


def test_limits_and_bad_arguments():
    stairs = Staircase(2.0, factor=2.0, minimum=1.0, maximum=4.0)
    for _ in range(10):
        stairs.answer(False)
    assert stairs.level == 4.0
    for bad in (dict(start=0.0), dict(start=1.0, factor=1.0), dict(start=1.0, up=0), dict(start=1.0, discard=12),
                dict(start=float("nan")), dict(start=1.0, geometric=False)):
        with pytest.raises(hapticd.InputError):
            Staircase(**bad)
    with pytest.raises(hapticd.InputError):
        Quest(1.0, guess=0.9, lapse=0.2)
    with pytest.raises(hapticd.InputError):
        stairs.estimate()


def test_trial_lists():
    conditions = full_factorial(stiffness=[1, 2], friction=[0, 3])
    assert len(conditions) == 4
    blocked = trial_list(conditions, repeat=5, seed=7)
    for block in range(5):
        part = blocked[4 * block:4 * block + 4]
        assert sorted(map(str, part)) == sorted(map(str, conditions))
    assert blocked == trial_list(conditions, repeat=5, seed=7) != trial_list(conditions, repeat=5, seed=8)
    assert trial_list(conditions, order="sequential") == conditions
    shuffled = trial_list(conditions, repeat=5, seed=1, order="random")
    assert sorted(map(str, shuffled)) == sorted(map(str, blocked))
    for bad in (dict(repeat=0, seed=1), dict(seed=None), dict(seed=1, order="mixed")):
        with pytest.raises(hapticd.InputError):
            trial_list(conditions, **bad)
    with pytest.raises(hapticd.InputError):
        trial_list([], seed=1)

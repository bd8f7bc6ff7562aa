"""Adaptive procedures: what to show next, and the threshold that the answers tell.

Every procedure has `level` (of the next trial), `answer(correct)`, `finished`, `estimate()` and `history`.
"""
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError


class Answer(NamedTuple):
    """One trial of a procedure."""
    level: float
    correct: bool


def weibull(level: ArrayLike, threshold: float, slope: float = 3.5, guess: float = 0.5,
            lapse: float = 0.02) -> Any:
    """Probability of a correct answer, 2AFC: at `threshold` it is guess + (1 - guess - lapse)(1 - 1/e).

    `level` and `threshold` > 0 in one unit. Source: Watson & Pelli 1983, with levels not in dB.
    """
    return guess + (1.0 - guess - lapse) * -np.expm1(-(np.asarray(level, dtype=float) / threshold) ** slope)


class Staircase:
    """n-up-m-down (Levitt 1971): easier after `up` wrong answers in a row, harder after `down` correct ones.

    Levels multiply by `factor` at each step (`factor` > 1; `geometric=False`: add `step`). It ends after `reversals`
    of direction; the estimate is the mean of the levels at the reversals but the first `discard` (geometric: of their
    logarithms). With 1-up-m-down it converges to the level of probability correct 0.5 ** (1 / m): 0.707 for m = 2,
    0.794 for m = 3.
    """

    def __init__(self, start: float, *, up: int = 1, down: int = 2, factor: float = 1.26, step: float = 0.0,
                 geometric: bool = True, minimum: float = 0.0, maximum: float = math.inf, reversals: int = 12,
                 discard: int = 4):
        if not (minimum <= start <= maximum and math.isfinite(start)) or (geometric and start <= 0.0):
            raise InputError(f"start: found {start}, expected a level from {minimum} to {maximum}"
                             + (" and > 0" if geometric else ""))
        if up < 1 or down < 1 or (factor <= 1.0 if geometric else step <= 0.0):
            raise InputError(f"staircase: found up {up}, down {down}, factor {factor}, step {step}, expected counts "
                             ">= 1 and a factor > 1, or a step > 0 with geometric=False")
        if not 0 <= discard < reversals:
            raise InputError(f"discard: found {discard}, expected 0 to {reversals - 1}")
        self.level = float(start)
        self.history: list[Answer] = []
        self.reversal_levels: list[float] = []
        self._up, self._down, self._factor, self._step, self._geometric = up, down, factor, step, geometric
        self._minimum, self._maximum, self._reversals, self._discard = minimum, maximum, reversals, discard
        self._row = 0        # > 0: correct answers in a row at this level, < 0: wrong ones
        self._direction = 0  # of the last change of level

    @property
    def finished(self) -> bool:
        return len(self.reversal_levels) >= self._reversals

    def answer(self, correct: bool) -> None:
        """The answer to the trial at `level`."""
        self.history.append(Answer(self.level, bool(correct)))
        self._row = max(self._row, 0) + 1 if correct else min(self._row, 0) - 1
        direction = -1 if self._row >= self._down else 1 if self._row <= -self._up else 0
        if direction == 0:
            return
        self._row = 0
        if self._direction and direction != self._direction:
            self.reversal_levels.append(self.level)
        self._direction = direction
        moved = self.level * self._factor ** direction if self._geometric else self.level + self._step * direction
        self.level = min(max(moved, self._minimum), self._maximum)

    def estimate(self) -> float:
        """The threshold, in the unit of the levels."""
        levels = self.reversal_levels[self._discard:]
        if not levels:
            raise InputError(f"staircase: found {len(self.reversal_levels)} reversals, expected more than "
                             f"{self._discard}")
        return float(np.exp(np.mean(np.log(levels))) if self._geometric else np.mean(levels))


class Quest:
    """Bayesian: the next level is the mean of the threshold's distribution after every answer.

    As QUEST (Watson & Pelli 1983), which takes the mode.

    The distribution is of log(threshold) on a grid, normal at first: median `guess_threshold`, `spread` in natural
    logarithms. The psychometric function is weibull() with the given slope, guess and lapse rates. No level is above
    `maximum`. It ends after `trials`.
    """

    def __init__(self, guess_threshold: float, *, spread: float = 1.0, trials: int = 40, maximum: float = math.inf,
                 slope: float = 3.5, guess: float = 0.5, lapse: float = 0.02):
        if not (guess_threshold > 0.0 and spread > 0.0 and slope > 0.0 and maximum > 0.0 and trials >= 1):
            raise InputError("quest: expected guess_threshold, spread, slope, maximum > 0 and trials >= 1")
        if not (0.0 <= guess < 1.0 and 0.0 <= lapse < 1.0 - guess):
            raise InputError(f"quest: found guess {guess}, lapse {lapse}, expected 0 <= guess < 1 - lapse")
        self.history: list[Answer] = []
        self._trials, self._maximum, self._function = trials, maximum, dict(slope=slope, guess=guess, lapse=lapse)
        self._log = np.log(guess_threshold) + spread * np.linspace(-4.0, 4.0, 1601)
        self._density = np.exp(-0.5 * np.linspace(-4.0, 4.0, 1601) ** 2)
        self._density /= self._density.sum()

    @property
    def level(self) -> float:
        return min(self.estimate(), self._maximum)

    @property
    def finished(self) -> bool:
        return len(self.history) >= self._trials

    def answer(self, correct: bool) -> None:
        """The answer to the trial at `level`."""
        level = self.level
        self.history.append(Answer(level, bool(correct)))
        likely = weibull(level, np.exp(self._log), **self._function)
        self._density = self._density * (likely if correct else 1.0 - likely)
        self._density /= self._density.sum()

    def estimate(self) -> float:
        """The threshold: exp of the mean of its logarithm."""
        return float(np.exp(np.dot(self._density, self._log)))

    def spread(self) -> float:
        """Standard deviation of log(threshold)."""
        mean = np.dot(self._density, self._log)
        return float(np.sqrt(np.dot(self._density, (self._log - mean) ** 2)))

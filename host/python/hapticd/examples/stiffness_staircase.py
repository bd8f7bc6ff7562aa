"""Which of two couplings is stiffer? A 2AFC staircase with a running daemon and a simulated participant.

The participant measures the stiffness of each interval in the daemon's telemetry and chooses right with the
probability of a Weibull function of the difference, whose threshold is known; the procedure has to find it.

python3 -m hapticd.examples.stiffness_staircase -o out
"""
from __future__ import annotations

import argparse
import pathlib
from typing import Union
import random
import sys

import numpy as np

import hapticd
from hapticd.experiment import Experiment, Quest, Staircase, Trial, weibull

from .pressed_ball import make_scene, own_name, running_daemon

REFERENCE = 150.0  # N/m
THRESHOLD = 40.0   # N/m, of the simulated participant
SETTLING = 125     # cycles from a change until it is felt whole: a parameter moves to its value gradually


def felt_stiffness(session: hapticd.Session, stiffness: float) -> float:
    """Of the coupling, set to `stiffness`, as it is felt: force by stretch, the median of 50 ms [N/m]."""
    cycle = session.set("coupling.stiffness", stiffness)
    for samples in session.telemetry().follow():
        settled = samples.records[samples["cycle"] > cycle + SETTLING]
        if len(settled):
            break
    for samples in session.telemetry().follow(0.05):
        settled = np.concatenate([settled, samples.records])
    stretch = settled["held_pose"]["position_m"] - settled["manipulandum_pose"]["position_m"]
    force = settled["wanted_wrench"]["force_N"]
    return float(np.median(np.linalg.norm(force, axis=1) / np.linalg.norm(stretch, axis=1)))


class Participant:
    """Chooses interval 1 or 2."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)

    def __call__(self, trial: Trial) -> int:
        stiffer = self._random.choice((1, 2))
        trial.notes["stiffer"] = stiffer
        level = trial.condition["level"]
        felt = {}
        for interval in (1, 2):
            trial.mark(f"interval {interval}")
            felt[interval] = felt_stiffness(trial.session, REFERENCE + (level if interval == stiffer else 0.0))
        trial.notes["felt_difference_N_m"] = round(felt[stiffer] - felt[3 - stiffer], 3)
        right = self._random.random() < weibull(max(felt[stiffer] - felt[3 - stiffer], 0.0), THRESHOLD)
        return stiffer if right else 3 - stiffer


def level_of(probability: float) -> float:
    """Difference at which the participant is right with this probability [N/m]."""
    levels = np.linspace(1.0, 200.0, 20000)
    return float(levels[np.argmax(weibull(levels, THRESHOLD) >= probability)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("stiffness_staircase"), help="folder")
    parser.add_argument("--procedure", choices=["staircase", "quest"], default="staircase")
    parser.add_argument("--seed", type=int, default=1, help="of the participant")
    parser.add_argument("--attempts", type=int, default=50,
                        help="at a trial whose slots are missed, as on a machine that others use (default 50)")
    options = parser.parse_args()
    results = options.output / f"{options.procedure}-{options.seed}.csv"
    scene = make_scene(options.output)
    if options.procedure == "staircase":
        procedure: Union[Staircase, Quest] = Staircase(100.0, down=2, factor=1.2, maximum=150.0, reversals=16, discard=4)
        true = level_of(0.5 ** 0.5)
    else:
        procedure, true = Quest(80.0, trials=50, maximum=150.0), THRESHOLD
    with running_daemon(scene, own_name("staircase")) as session:
        rows = Experiment(session, results, attempts=options.attempts).run_adaptive(
            procedure, lambda level: {}, Participant(options.seed),
            lambda trial, answer: bool(answer == trial.notes["stiffer"]))
    print(f"{results}: {len(rows)} trials, estimate {procedure.estimate():.1f} N/m, participant {true:.1f} N/m")
    return 0


if __name__ == "__main__":
    sys.exit(main())

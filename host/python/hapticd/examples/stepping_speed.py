"""Steps a second of a scene in Python, all at once and one by one, beside `haptic simulate` in the same run.

python3 -m hapticd.examples.stepping_speed -o out
"""
from __future__ import annotations

import argparse
import pathlib
import time
from typing import Callable

import hapticd

from .pressed_ball import haptic, make_scene


def rate(count: int, run: Callable[[], object]) -> float:
    """Steps a second, the best of three."""
    best = 0.0
    for _ in range(3):
        begin = time.perf_counter()
        run()
        best = max(best, count / (time.perf_counter() - begin))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("stepping_speed"), help="folder")
    parser.add_argument("--scene", type=pathlib.Path, help="instead of the pressed ball; has a hand script")
    options = parser.parse_args()
    scene_path = options.scene or make_scene(options.output, seconds=40.0)
    options.output.mkdir(parents=True, exist_ok=True)
    scene = hapticd.Scene(scene_path)
    hand = scene.hand()
    steps = len(hand.poses)

    def one_by_one() -> None:
        world = scene.world()
        for pose, twist in zip(hand.poses, hand.twists):
            world.step(pose, twist)

    rows = [("Python, all at once", lambda: scene.world().step(hand.poses, hand.twists)),
            ("Python, one by one", one_by_one),
            ("haptic simulate, with its log", lambda: haptic("simulate", str(scene_path.resolve()), "-o", "speed.h5",
                                                             cwd=options.output))]
    for name, run in rows:
        print(f"{name:32} {rate(steps, run):12.0f} steps/s")


if __name__ == "__main__":
    main()

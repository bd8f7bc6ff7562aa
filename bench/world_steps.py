#!/usr/bin/env python3
"""Steps a second of a scene: a plain loop in C++, Python in one call, Python step by step, in one run.

Usage: world_steps.py WORLD_STEPS SCENE.toml     with the package hapticd on PYTHONPATH

All three step the same world with the hand of the scene's script; the force of the last cycle must have the same bits.
Each figure is the best of three.
"""
import subprocess
import sys
import time

import hapticd


def best(run):
    """@returns seconds of the shortest of three runs, and what the last has returned"""
    shortest = float("inf")
    for _ in range(3):
        world = scene.world()
        begin = time.perf_counter()
        samples = run(world)
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest, samples["device_wrench"]["force_N"][-1]


def step_by_step(world):
    for pose, twist in zip(hand.poses, hand.twists):
        samples = world.step(pose, twist)
    return samples


program, path = sys.argv[1:]
scene = hapticd.Scene(path)
hand = scene.hand()
steps = len(hand.poses)
done = subprocess.run([program, path, str(steps)], check=True, capture_output=True, text=True)
speed, *force = map(float, done.stdout.split())
rows = [("C++ loop", speed, force)]
for name, run in (("Python, one call", lambda world: world.step(hand.poses, hand.twists)),
                  ("Python, step by step", step_by_step)):
    seconds, force = best(run)
    rows.append((name, steps / seconds, list(force)))
if any(force != rows[0][2] for _, _, force in rows):
    sys.exit(f"world_steps.py: the runs do not agree: {rows}")
print(f"{path}: {steps} steps")
for name, speed, _ in rows:
    print(f"{name:22} {speed:12.0f} steps/s {1e6 / speed:8.2f} us  {rows[0][1] / speed:6.2f} x the loop")

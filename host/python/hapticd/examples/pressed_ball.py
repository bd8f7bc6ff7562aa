"""The scene of the examples: a ball in the hand pressed onto a larger ball that is fixed."""
from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import time
from typing import Iterator

import hapticd

RECIPE = """[source]
mesh = "tool.obj"
length = 0.03                  # m
[mesh]
resolution = 16
[material]
density = 1000.0               # kg/m^3
[shell]
points = 400
levels = 2
"""
SCENE = """rate_hz = 500
[[body]]
name = "wall"
shape = "sphere"
radius = 0.05                  # m
role = "anchored"
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
position = [0.0, 0.07, 0.0]    # m; 5 mm above the wall
[[contact]]
points = "tool"
field = "wall"
stiffness = 300.0              # N/m per point
[coupling]
stiffness = 200.0              # N/m
rotational_stiffness = 0.1     # N·m/rad
[device]
name = "simulated"
script = "hand.csv"
"""


def haptic(*arguments: str, cwd: pathlib.Path) -> None:
    """Runs a command of haptic; OperationError with its line if it fails."""
    done = subprocess.run(["haptic", *arguments], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise hapticd.OperationError(done.stderr.strip())


def make_scene(folder: pathlib.Path, depth: float = 0.015, seconds: float = 1.0) -> pathlib.Path:
    """Scene, baked ball and a hand that goes down by `depth` [m] in `seconds` and stays. @returns the scene's path"""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tool.toml").write_text(RECIPE)
    haptic("mesh", "sphere", "--length", "0.03", "-o", "tool.obj", cwd=folder)
    haptic("bake", "tool.toml", "-o", "tool.h5", cwd=folder)
    (folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n"
                                     f"{seconds},0,{-depth},0,1,0,0,0\n")
    (folder / "scene.toml").write_text(SCENE)
    return folder / "scene.toml"


@contextlib.contextmanager
def running_daemon(scene: pathlib.Path, name: str) -> Iterator[hapticd.Session]:
    """hapticd with the scene until the block ends; what it says is in hapticd.txt beside the scene."""
    with open(scene.parent / "hapticd.txt", "w") as said:
        daemon = subprocess.Popen(["hapticd", "--scene", scene, "--name", name, "--black-box", scene.parent],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
    try:
        session = hapticd.Session(name)
        give_up = time.monotonic() + 30.0
        while True:
            if daemon.poll() is not None:
                raise hapticd.OperationError(f"hapticd exited with code {daemon.returncode}: see {said.name}")
            try:
                session.wait_for("idle", 0.1)
                break
            except hapticd.OperationError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.02)
        yield session
    finally:
        daemon.terminate()
        daemon.wait()


def own_name(example: str) -> str:
    """A daemon's name that no other run has."""
    return f"{example}-{os.getpid()}"

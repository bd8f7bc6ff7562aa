"""What the tests of whole programs share: small recipes and scenes, and a program run to its end."""
import os
import pathlib
import subprocess

# ./dev says so of a build under sanitizers: its loop allocates and has page faults, and its commands take long.
SANITIZED = os.environ.get("HAPTIC_SANITIZED") == "1"
SLOW = 5 if SANITIZED else 1


def check_loop(test, table):
    """The daemon's table: no allocation and no page fault in the loop, but for a sanitizer's own."""
    if not SANITIZED:
        test.assertIn("allocations         0", table)
        test.assertIn("page faults         0", table)


TWO_SPHERES = """
rate_hz = 500
[[body]]
name = "wall"
shape = "sphere"
radius = 0.05
role = "anchored"
[[body]]
name = "tool"
shape = "sphere"
radius = 0.01
role = "held"
"""
# A rigid ball with contact points, from the mesh that `haptic mesh sphere -o tool.obj` makes; pressed on a wall.
BALL_RECIPE = """
[source]
mesh = "tool.obj"
length = 0.03
[mesh]
resolution = 16
[material]
density = 1000.0
[shell]
points = 400
levels = 2
"""
PRESS = """
rate_hz = 500
[[body]]
name = "wall"
shape = "sphere"
radius = 0.05
role = "anchored"
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
position = [0.0, 0.07, 0.0]
[[contact]]
points = "tool"
field = "wall"
stiffness = 300.0
[coupling]
stiffness = 200.0
rotational_stiffness = 0.1
[limits]
ramp_s = 0.02
[device]
name = "simulated"
script = "hand.csv"
"""



def beam_recipe(resolution, held_below, linear_modes, dimension, points, levels):
    """A beam of 0.2 m that is held at its low end, from the mesh that `haptic mesh beam -o beam.obj` makes."""
    return f"""
[source]
mesh = "beam.obj"
length = 0.2
[mesh]
resolution = {resolution}
[material]
youngs_modulus = 4e4
poisson_ratio = 0.4
density = 1000.0
damping_ratios = [0.05, 0.10]
[constraints]
planes = [{{ axis = "x", below = {held_below} }}]
[reduction]
linear_modes = {linear_modes}
dimension = {dimension}
[shell]
points = {points}
levels = {levels}
"""


def run(*arguments, cwd=None, environment=None):
    """@returns the finished process, its output as text; five minutes are a failure."""
    return subprocess.run([str(a) for a in arguments], cwd=cwd, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, **(environment or {})))


def bake_beam(haptic, folder, recipe):
    """beam.h5 in the folder, from a `beam_recipe`."""
    (folder / "beam.toml").write_text(recipe)
    for arguments in (("mesh", "beam", "-o", "beam.obj"), ("bake", "beam.toml", "-o", "beam.h5")):
        done = run(haptic, *arguments, cwd=folder)
        assert done.returncode == 0, done.stderr


def run_folder():
    """Where the daemons of this user have their shared memory (shared/ipc/run_folder.h), outside a service."""
    session = pathlib.Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    return session / "hapticd" if session.is_dir() else pathlib.Path(f"/dev/shm/hapticd-{os.getuid()}")

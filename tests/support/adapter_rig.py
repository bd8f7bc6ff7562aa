"""A daemon with an external device whose hand presses a ball onto a wall of points, for the tests of adapters."""
import os
import pathlib
import subprocess

from daemon_case import DaemonCase

TREE = pathlib.Path(__file__).resolve().parents[2]
WALL = """
[source]
mesh = "sphere.obj"
length = 0.1
[mesh]
resolution = 8
[material]
youngs_modulus = 4e4
poisson_ratio = 0.4
density = 1000.0
[shell]
points = 400
levels = 2
"""
SCENE = """
rate_hz = 1000
[[body]]
name = "wall"
model = "wall.h5"
role = "anchored"
[[body]]
name = "tool"
shape = "sphere"
radius = 0.01
role = "held"
position = [0.0, HEIGHT, 0.0]
[[contact]]
points = "wall"
field = "tool"
stiffness = 100.0
[coupling]
stiffness = 300.0
[limits]
force = 3.0
ramp_s = 0.1
stale_input_s = AGE
"""


class AdapterRig(DaemonCase):
    """In the test's folder: scene.toml, the baked wall and device.toml, a shipped manifest with a link of its own."""

    def set_up_rig(self, haptic, height_m, manifest, max_age_ms):
        """
        @param height_m    of the held ball over the centre of the wall, whose radius is 0.05 m
        @param manifest    name of the shipped one
        @param max_age_ms  of a pose, for manifest and scene: it may be old on a machine that several jobs share
        """
        (self.folder / "scene.toml").write_text(SCENE.replace("HEIGHT", str(height_m)).replace("AGE", str(1e-3 * max_age_ms)))
        (self.folder / "wall.toml").write_text(WALL)
        for command in ("mesh sphere -o sphere.obj", "bake wall.toml -o wall.h5"):
            subprocess.run([haptic, *command.split()], cwd=self.folder, check=True, capture_output=True)
        self.link = f"t{os.getpid()}-{abs(hash(self._testMethodName)) % 10000}"
        shipped = (TREE / "firmware-config" / f"{manifest}.toml").read_text().splitlines()
        lines = []
        for line in shipped:
            key = line.split("=")[0].strip()
            if key in ("name", "link"):
                line = f'{key} = "{self.link}"'
            elif key == "max_age_ms":
                line = f"max_age_ms = {float(max_age_ms)}"
            lines.append(line + "\n")
        (self.folder / "device.toml").write_text("".join(lines))

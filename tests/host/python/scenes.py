"""Scenes and a daemon for the tests of the package."""
import functools
import math
import pathlib
import shutil
import tempfile
import time

from conftest import PROGRAMS
from daemon_case import SECONDS, DaemonCase
from programs import BALL_RECIPE, PRESS, run


def press_script(seconds=1.0, depth=0.03, rows=50):
    """A hand that goes down by `depth` and up again, with some turning."""
    lines = ["time_s,x_m,y_m,z_m,qw,qx,qy,qz,buttons"]
    for i in range(rows + 1):
        phase = math.pi * i / rows
        turn = 0.1 * math.sin(phase)
        lines.append(f"{seconds * i / rows:.9f},{0.004 * math.sin(2 * phase)!r},{-depth * math.sin(phase)!r},0.0,"
                     f"{math.cos(turn)!r},0.0,0.0,{math.sin(turn)!r},{i % 4}")
    return "\n".join(lines) + "\n"


@functools.cache
def baked_tool():
    """A rigid ball of 30 mm with contact points, baked once a session."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-test-"))
    (folder / "tool.toml").write_text(BALL_RECIPE)
    for arguments in (("mesh", "sphere", "--length", "0.03", "-o", "tool.obj"), ("bake", "tool.toml", "-o", "tool.h5")):
        done = run(PROGRAMS["haptic"], *arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
    content = (folder / "tool.h5").read_bytes()
    shutil.rmtree(folder)
    return content


def write_press(folder, name="scene.toml"):
    """The scene and its hand script in a folder. @returns the scene's path"""
    (folder / "tool.h5").write_bytes(baked_tool())
    (folder / "hand.csv").write_text(press_script())
    (folder / name).write_text(PRESS)
    return folder / name


class PressCase(DaemonCase):
    """A test case with the scene in its folder; daemon() runs it."""
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        write_press(self.folder)

    def wait_until(self, holds):
        give_up = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), give_up, self.said())
            time.sleep(0.01)

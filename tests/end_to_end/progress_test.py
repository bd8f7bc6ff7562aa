#!/usr/bin/env python3
"""The line of progress of every long command, on a pseudo terminal and by a clock that the test sets.

Usage: progress_test.py HAPTIC SET_CLOCK.so [unittest arguments]
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import threading
import unittest

SET_CLOCK = str(pathlib.Path(sys.argv.pop(2)).resolve())
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import bake_beam, beam_recipe  # noqa: E402
from three_worlds import HAPTIC, ThreeWorlds, main  # noqa: E402

HAND = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n5,0.01,0,0.01,1,0,0,0\n"
BALL = """rate_hz = 1000
[[body]]
name = "ball"
shape = "sphere"
radius = 0.03
role = "held"
[coupling]
stiffness = 400.0
[device]
name = "simulated"
script = "hand.csv"
"""
LINE = re.compile(r"\r([^\r\x1b]*)\x1b\[K")
STEP_S = 0.5


class Progress(ThreeWorlds):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not (cls.folder / "beam.h5").exists():
            bake_beam(HAPTIC, cls.folder, beam_recipe(10, 0.01, 4, 6, 100, 2))
            (cls.folder / "hand.csv").write_text(HAND)
            done = subprocess.run([HAPTIC, "convert", "beam.h5", "--vega", "vega"], cwd=cls.folder, capture_output=True)
            assert done.returncode == 0, done.stderr

    def said(self, step_s, *words):
        """@returns what the command writes to its terminal, standard error; its output is elsewhere"""
        ours, its = pty.openpty()
        environment = dict(os.environ, LD_PRELOAD=SET_CLOCK, HAPTIC_TEST_CLOCK_STEP_MS=str(round(1000 * step_s)))
        process = subprocess.Popen([HAPTIC, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=its,
                                   stdout=subprocess.PIPE, env=environment)
        os.close(its)
        parts = []

        def read():
            try:
                while part := os.read(ours, 65536):
                    parts.append(part)
            except OSError:
                pass  # the other end is closed

        reader = threading.Thread(target=read)
        reader.start()
        out = process.communicate(timeout=300)[0].decode()
        reader.join()
        os.close(ours)
        text = b"".join(parts).decode()
        self.assertEqual(process.returncode, 0, text)
        self.assertNotIn("\x1b[K", out)
        return text

    def check(self, what, *words, parts=4):
        """@param parts  fewest fractions that the command is told"""
        with self.subTest(what):
            self.assertEqual(self.said(0.0, *words), "", "within two seconds")
            shutil.rmtree(self.folder / "run", ignore_errors=True)  # of a series of scenes, which is never replaced
            step_s = max(STEP_S, 4.0 / parts)
            text = self.said(step_s, *words)
            self.assertTrue(text.endswith("\r\x1b[K"), text)
            lines = [line for line in LINE.findall(text) if line]
            self.assertTrue(lines, text)
            self.assertEqual(LINE.sub("", text), "")
            for line in lines:
                self.assertRegex(line, rf"^{re.escape(what)}: [0-9]+ %(, ([0-9]+ h )?([0-9]+ min )?[0-9]+ (s|min) left)?$")
            shutil.rmtree(self.folder / "run", ignore_errors=True)
            done = subprocess.run([HAPTIC, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                                  env=dict(os.environ, LD_PRELOAD=SET_CLOCK, HAPTIC_TEST_CLOCK_STEP_MS="5000"))
            self.assertEqual((done.returncode, done.stderr), (0, ""), "without a terminal")
            shutil.rmtree(self.folder / "run", ignore_errors=True)

    def test_runs(self):
        scene = self.folder / "scenes" / "jelly" / "scene.toml"
        self.check(f"simulate {scene}", "simulate", scene, "-o", "s.h5", "--seconds", "0.05", parts=50)
        self.check("replay solids.h5", "replay", "solids.h5", parts=50)

    def test_models(self):
        self.check("verify beam.h5", "verify", "beam.h5", parts=20)
        self.check("sketch beam.h5", "sketch", "beam.h5", "--trajectory", "hand.csv", "--grab", "0.2,0,0", "-o",
                   "forces.csv", parts=3)
        self.check("sketch beam.toml", "sketch", "beam.toml", "--trajectory", "hand.csv", "--grab", "0.2,0,0", "-o",
                   "forces.csv", parts=3)
        self.check("convert beam.h5", "convert", "beam.h5", "--vega", "vega", parts=4)
        self.check("convert vega/beam.veg", "convert", "vega/beam.veg", "--bou", "vega/beam.bou", "--basis",
                   "vega/beam.U", "-o", "back.h5", parts=2)
        self.check("mesh spoon", "mesh", "spoon", "-o", "spoon.obj", parts=20)
        self.check("probe damping beam.h5", "probe", "damping", "beam.h5", "--periods", "1", parts=6)

    def test_logs(self):
        for name in ("run.csv", "run.parquet", "run.mat"):
            self.check("export solids.h5", "export", "solids.h5", "-o", name, parts=1)
        self.check("export cloth.h5", "export", "cloth.h5", "-o", "run.pvd", parts=10)
        self.check("diff solids.h5", "diff", "solids.h5", "solids.h5", parts=10)
        if shutil.which("gnuplot"):
            self.check("plot p.svg", "plot", "solids.h5", "-o", "p.svg", parts=10)
            self.check("plot p.svg", "plot", "solids.h5", "cloth.h5", "-o", "p.svg", "--columns", "force,hand", parts=4)
        self.check("report solids.h5", "report", "solids.h5", "-o", "r.html", parts=5)

    def test_pictures(self):
        view = ("view", "--log", "cloth.h5", "--width", "64", "--height", "48")
        self.check("view cloth.h5", *view, "--frames", "frames", parts=10)
        self.check("view cloth.h5", *view, "--glb", "film.glb", parts=10)
        (self.folder / "ball.toml").write_text(BALL)
        (self.folder / "hand.csv").write_text(HAND)
        self.check("view ball.toml", "view", "--scene", "ball.toml", *view[3:], "--fps", "2", "--frames", "frames",
                   parts=50)
        self.check("view ball.toml", "view", "--scene", "ball.toml", "--fps", "2", "--glb", "film.glb", parts=50)
        if shutil.which("ffmpeg"):
            self.check("view cloth.h5", *view, "--film", "film.mp4", parts=10)

    def test_the_first_line_comes_after_two_seconds_and_the_time_left_is_in_proportion(self):
        # The clock is read at the beginning, once for each of the 100 cycles and sometimes elsewhere, 0.1 s after each
        # other: 2 s are over after at most 20 cycles.
        scene = self.folder / "scenes" / "jelly" / "scene.toml"
        text = self.said(0.1, "simulate", scene, "-o", "s.h5", "--seconds", "0.1")
        lines = [line for line in LINE.findall(text) if line]
        percent, left = map(int, re.search(r": ([0-9]+) %, ([0-9]+) s left", lines[0]).groups())
        self.assertTrue(15 <= percent <= 20, lines[0])
        # Of at least 2.0 s and less than 2.2 s; the percentage is rounded down, the time up.
        rest = [(100 - p) / p for p in (percent + 1, percent)]
        self.assertTrue(2.0 * rest[0] <= left <= 2.2 * rest[1] + 1.0, lines[0])

    def test_a_name_with_control_characters_is_shown_without_them(self):
        name = "a\x1b]0;b\x07.h5"
        shutil.copy(self.folder / "beam.h5", self.folder / name)
        text = self.said(STEP_S, "verify", name)
        self.assertIn(r"verify a\x1b]0;b\x07.h5: ", text)
        self.assertNotIn("\x07", text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The window of `haptic view` on a display without a screen (Xvfb, Mesa's software renderer).

Usage: view_window_test.py HAPTIC. Exit code 77 where Xvfb or ImageMagick is not installed.
"""
import itertools
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from window_case import HEIGHT, SKIPPED, WIDTH, WindowCase  # noqa: E402

HAPTIC = pathlib.Path(sys.argv.pop(1)).resolve()
SCENE = """
rate_hz = 1000
[[body]]
name = "ball"
shape = "sphere"
radius = 0.03
role = "held"
position = [0.0, 0.1, 0.0]
[[body]]
name = "table"
shape = "box"
x = 0.3
y = 0.02
z = 0.3
role = "anchored"
[coupling]
stiffness = 400.0
[device]
name = "simulated"
script = "hand.csv"
"""
HAND = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0.1,0,0,1,0,0,0\n2,-0.1,0,0,1,0,0,0\n"


class ViewWindow(WindowCase):
    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(SCENE)
        (self.folder / "hand.csv").write_text(HAND)
        self.changes = {"XDG_RUNTIME_DIR": str(self.folder)}
        os.chmod(self.folder, 0o700)

    @property
    def environment(self):
        kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        return {**kept, **self.shown, **self.changes}

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def log(self) -> str:
        subprocess.run([HAPTIC, "simulate", "scene.toml", "-o", "log.h5"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        return "log.h5"

    def view(self, *words, **options) -> subprocess.Popen:
        process = subprocess.Popen([HAPTIC, "view", "--width", str(WIDTH), "--height", str(HEIGHT), *words],
                                   cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **options)
        self.addCleanup(self.end, process)
        return process

    def pixels(self) -> bytes:
        """What the display shows, three bytes a pixel, rows from the top."""
        return subprocess.run(["import", "-window", "root", "-depth", "8", "rgb:-"], env=self.environment, check=True,
                              stdout=subprocess.PIPE).stdout

    def until_shown(self, process, shown):
        """Asks until the display is as wanted; ends with the process, or by the test's own time limit."""
        while process.poll() is None:
            picture = self.pixels()
            if shown(picture):
                return picture
        self.fail(f"the window ended before: {process.communicate()}")

    @staticmethod
    def count(picture: bytes, wanted) -> int:
        """Of every fourth pixel."""
        return sum(wanted(*picture[i:i + 3]) for i in range(0, len(picture), 12))

    def scene_is_shown(self, picture) -> bool:
        # The colours of the first two bodies, blue and orange, lit or in the shade: more of each than text has.
        blue = self.count(picture, lambda r, g, b: b > r + 40)
        orange = self.count(picture, lambda r, g, b: r > b + 40)
        return blue > 100 and orange > 1000

    def test_a_log_is_shown_and_the_window_closes_by_itself(self):
        self.display()
        process = self.view("--log", self.log())
        self.until_shown(process, self.scene_is_shown)
        process.send_signal(signal.SIGTERM)  # as a session that ends
        out, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertRegex(out, r"^[1-9][0-9]* images drawn\n$")

    def test_seconds_close_the_window(self):
        self.display()
        out, errors = self.view("--log", self.log(), "--seconds", "0.5").communicate()
        self.assertEqual(errors, "")
        self.assertRegex(out, r"^[1-9][0-9]* images drawn\n$")

    def test_a_daemon_that_is_missing_is_told_in_the_window(self):
        self.display()
        process = self.view("--name", "nobody")
        # Two panels and the message on an even ground, no scene.
        picture = self.until_shown(process, lambda p: self.count(p, lambda r, g, b: r + g + b < 200) > 300)
        self.assertFalse(self.scene_is_shown(picture))

    def test_a_display_that_goes_away_is_one_line(self):
        server = self.display()
        process = self.view("--log", self.log())
        self.until_shown(process, self.scene_is_shown)
        server.kill()
        out, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (1, "haptic: the display has gone away\n"))

    def test_without_a_display_the_message_names_png(self):
        process = self.view("--log", self.log())
        out, errors = process.communicate()
        self.assertEqual((process.returncode, out), (1, ""))
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn("--png", errors)

    def test_a_time_after_the_end_of_the_log_is_refused(self):
        out, errors = self.view("--log", self.log(), "--at", "1000").communicate()
        self.assertEqual(out, "")
        self.assertIn("--at: found 1000 s", errors)

    @unittest.skipUnless(shutil.which("xdotool"), "xdotool not installed")
    def test_the_ball_is_where_projection_says(self):
        self.display()
        (self.folder / "hand.csv").write_text(HAND.split("\n")[0] + "\n0,0,0,0,1,0,0,0\n")  # at rest
        process = self.view("--scene", "scene.toml")
        self.until_shown(process, self.scene_is_shown)
        picture = self.folder / "view-001.png"
        while not picture.exists():
            self.assertIsNone(process.poll())
            subprocess.run(["xdotool", "mousemove", "400", "500", "key", "F12"], env=self.environment, check=True)
        pixels = subprocess.run(["convert", picture, "-depth", "8", "rgb:-"], check=True, stdout=subprocess.PIPE).stdout
        blue = [(i // 3 % WIDTH, i // 3 // WIDTH) for i in range(0, len(pixels), 3) if pixels[i + 2] > pixels[i] + 40]
        x, y, radius = self.projected_ball()
        self.assertGreater(len(blue), 0.8 * math.pi * radius ** 2)  # less the axes that are drawn over it
        # The outline of a ball off the middle of the picture is an ellipse, longer by less than a tenth here; two
        # pixels for the edge.
        room = 1.1 * radius + 2
        self.assertTrue(all(math.hypot(u + 0.5 - x, v + 0.5 - y) < room for u, v in blue))

    @staticmethod
    def projected_ball():
        """Middle and radius of the ball in pixels, by the camera that holds the scene's box and 8 % of it around."""
        azimuth, elevation, tangent = math.radians(35), math.radians(22), math.tan(0.3)  # half of 0.6 rad
        low, high = [-0.15, -0.01, -0.15], [0.15, 0.13, 0.15]  # table and ball
        room = 0.08 * math.dist(low, high)
        low, high = [v - room for v in low], [v + room for v in high]
        target = [(a + b) / 2 for a, b in zip(low, high)]
        z = [math.sin(azimuth) * math.cos(elevation), math.sin(elevation), math.cos(azimuth) * math.cos(elevation)]
        x = [math.cos(azimuth), 0, -math.sin(azimuth)]
        y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
        dot = lambda a, b: sum(p * q for p, q in zip(a, b))  # noqa: E731
        distance = 0.88 * 0.5 * math.dist(low, high) / math.sin(0.3)
        for corner in itertools.product(*zip(low, high)):
            p = [a - b for a, b in zip(corner, target)]
            wide = max(abs(dot(x, p)) * HEIGHT / WIDTH, abs(dot(y, p)))
            distance = max(distance, 1.05 * (dot(z, p) + wide / tangent))
        ball = [a - b for a, b in zip([0.0, 0.1, 0.0], target)]
        depth = distance - dot(z, ball)
        scale = 0.5 * HEIGHT / tangent / depth  # pixels a metre
        return 0.5 * WIDTH + scale * dot(x, ball), 0.5 * HEIGHT - scale * dot(y, ball), 0.03 * scale

    def test_the_run_of_a_scene_leaves_no_file(self):
        self.display()
        self.changes["TMPDIR"] = str(self.folder)
        before = sorted(p.name for p in self.folder.iterdir())
        process = self.view("--scene", "scene.toml")
        self.until_shown(process, self.scene_is_shown)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before)


if __name__ == "__main__":
    for program in ("Xvfb", "import"):
        if shutil.which(program) is None:
            print(f"skipped: {'xvfb' if program == 'Xvfb' else 'imagemagick'} not installed")
            sys.exit(SKIPPED)
    unittest.main()

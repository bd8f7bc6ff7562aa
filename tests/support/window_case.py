"""A test case around a window of `haptic view`, on a display without a screen (Xvfb, Mesa's software renderer), with
mouse and keys by xdotool."""
import os
import shutil
import signal
import subprocess
import sys
import unittest

import numpy

from daemon_case import SECONDS, DaemonCase

WIDTH, HEIGHT = 800, 600  # the panels cover much of a smaller window
SKIPPED = 77  # CTest's SKIP_RETURN_CODE

# Places in the panels, by the metrics of Dear ImGui's own font: rows of 23 pixels below a title of 19, 8 around.
LABELS = WIDTH - 145  # in the label of every checkbox of the panel "Shown", however wide the panel is
ROWS = {label: 45 + 23 * row for row, label in enumerate(
    ("colour", "contact force", "hand and its object", "contact points", "trail", "point tree", "distance field"))}
TIME_BAR = HEIGHT - 8 - 8 - 10  # the lower row of the panel at the bottom


def pixels_of(file, environment=None):
    """@returns a picture's pixels, height x width x 3"""
    done = subprocess.run(["convert", file, "-depth", "8", "ppm:-"], check=True, stdout=subprocess.PIPE,
                          env=environment)
    magic, size, most, data = done.stdout.split(b"\n", 3)
    assert (magic, most) == (b"P6", b"255"), done.stdout[:40]
    width, height = map(int, size.split())
    return numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3)


class WindowCase(DaemonCase):
    """Set `programs` (haptic, hapticd, count_frames) in a subclass."""

    def setUp(self):
        super().setUp()
        self.shown = {}  # DISPLAY, once there is one
        self.names = iter(range(1000))

    def display(self):
        read, write = os.pipe()
        server = self.start("Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24",
                            "-noreset",  # when a window closes
                            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.shown = {"DISPLAY": ":" + answer.readline().strip(), "WAYLAND_DISPLAY": ""}
        return server

    def view(self, *words, environment=None):
        """A window; its outputs go to files, which ended() reads."""
        name = next(self.names)
        out, errors = (open(self.folder / f"window-{name}.{end}", "w+") for end in ("out", "err"))
        self.counts = self.folder / f"window-{name}.frames"
        self.counts.write_bytes(bytes(16))
        process = self.start(self.programs["haptic"], "view", "--width", str(WIDTH), "--height", str(HEIGHT), *words,
                             environment={**self.shown, "LD_PRELOAD": self.programs["count_frames"],
                                          "HAPTIC_TEST_FRAMES": str(self.counts), **(environment or {})},
                             stdout=out, stderr=errors)
        process.outputs = (out, errors)
        for file in process.outputs:
            self.addCleanup(file.close)
        return process

    @staticmethod
    def outputs(process):
        for file in process.outputs:
            file.seek(0)
        return tuple(file.read() for file in process.outputs)

    def ended(self, process):
        """Ends a window as a session does. @returns the number of images that it has drawn"""
        self.assertIsNone(process.poll(), self.outputs(process))
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)
        out, errors = self.outputs(process)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertRegex(out, r"^[0-9]+ images drawn\n$")
        return int(out.split()[0])

    def picture(self):
        """What the display shows, height x width x 3."""
        done = subprocess.run(["import", "-window", "root", "-depth", "8", "rgb:-"], env=dict(os.environ, **self.shown),
                              check=True, stdout=subprocess.PIPE)
        return numpy.frombuffer(done.stdout, numpy.uint8).reshape(HEIGHT, WIDTH, 3)

    def see(self, process, holds):
        """Until the picture of the display is as wanted. @returns it"""
        pictures = []

        def shown():
            self.assertIsNone(process.poll(), self.outputs(process))
            pictures[:] = [self.picture()]
            return holds(pictures[0])
        self.until(shown)
        return pictures[0]

    def xdo(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=dict(os.environ, **self.shown), check=True,
                       stdout=subprocess.DEVNULL)

    def window(self):
        """@returns xdotool's number of the window, also while it is not mapped"""
        found = []

        def there():
            done = subprocess.run(["xdotool", "search", "--name", "^haptic view$"],
                                  env=dict(os.environ, **self.shown), text=True, stdout=subprocess.PIPE)
            found[:] = done.stdout.split()
            return found
        self.until(there)
        return found[0]

    def frames(self):
        """@returns images shown and waits without one, of the newest window"""
        return tuple(int.from_bytes(self.counts.read_bytes()[i:i + 8], "little") for i in (0, 8))

    def slowly(self, *steps):
        """Steps of xdotool, each of some words, with images after each: the second of them began after the step, so the
        window has handled it. Of steps between two images Dear ImGui may take only the last place of the mouse, and
        GLFW a key that goes up and down again for one that repeats itself."""
        for step in steps:
            self.xdo(*step)
            before = self.frames()[0]
            self.until(lambda: self.frames()[0] >= before + 3)

    def click(self, x, y):
        self.slowly(("mousemove", x, y), ("mousedown", 1), ("mouseup", 1))

    def tick(self, label):
        self.click(LABELS, ROWS[label])

    def saved(self, process):
        """What F12 saves: the scene without panels. @returns its pixels"""
        before = set(self.folder.glob("view-*.png"))
        self.slowly(("mousemove", WIDTH // 2, HEIGHT - 100), ("keydown", "F12"), ("keyup", "F12"))
        self.until(lambda: process.poll() is None and set(self.folder.glob("view-*.png")) - before)
        return pixels_of(*(set(self.folder.glob("view-*.png")) - before))

    @staticmethod
    def bar_is_at_its_end(picture):
        grab = picture[TIME_BAR, WIDTH - 26:WIDTH - 20].astype(int)
        return (grab[:, 2] > grab[:, 0] + 60).all()

    def to_the_end(self, process):
        """Clicks the right end of the time bar: a log halts in its last row. What halts there stays there."""
        def ends():
            self.assertIsNone(process.poll(), self.outputs(process))
            self.click(WIDTH - 24, TIME_BAR)
            for _ in range(3):
                self.slowly(("mousemove", WIDTH // 2, HEIGHT - 100))
                if not self.bar_is_at_its_end(self.picture()):
                    return False
            return True
        self.until(ends)

    @staticmethod
    def message(picture):
        """Whether a message is in the middle of the window: text, nearly black on nearly white."""
        middle = picture[HEIGHT // 2 - 12:HEIGHT // 2 + 12, WIDTH // 2 - 60:WIDTH // 2 + 60].min(axis=2)
        return (middle > 225).mean() > 0.5 and (middle < 60).mean() > 0.02

    def halted(self, process):
        """What F12 saves once nothing moves any more: two pictures are the same."""
        pictures = [self.saved(process)]

        def same():
            pictures.append(self.saved(process))
            return (pictures[-1] == pictures[-2]).all()
        self.until(same)
        return pictures[-1]


def main(programs):
    """@param programs  names of the arguments, such as haptic"""
    for program, package in (("Xvfb", "xvfb"), ("xdotool", "xdotool"), ("import", "imagemagick")):
        if shutil.which(program) is None:
            print(f"skipped: {package} not installed")
            sys.exit(SKIPPED)
    DaemonCase.programs = dict(zip(programs, (os.path.abspath(p) for p in sys.argv[1:1 + len(programs)])))
    unittest.main(argv=[sys.argv[0]] + sys.argv[1 + len(programs):])

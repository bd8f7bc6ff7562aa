#!/usr/bin/env python3
"""A window of `haptic view` while its daemon changes its scene, is killed and starts again, or nobody looks.

Usage: view_daemon_test.py HAPTIC HAPTICD COUNT_FRAMES. Exit code 77 where Xvfb, xdotool or ImageMagick is missing.
"""
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import shown_worlds  # noqa: E402
import window_case  # noqa: E402
from daemon_case import SECONDS  # noqa: E402
from expected_picture import NOTHING, Camera, agreement, bodies_by_hue, rasterise  # noqa: E402
from programs import run_folder  # noqa: E402
from window_case import HEIGHT, WIDTH, WindowCase  # noqa: E402


class Daemon(WindowCase):
    @classmethod
    def setUpClass(cls):
        parent = pathlib.Path(tempfile.mkdtemp(prefix="haptic-daemons-"))
        cls.addClassCleanup(shutil.rmtree, parent)
        cls.worlds = {}
        for kind in ("solids", "condensed"):
            (parent / kind).mkdir()
            world = cls.worlds[kind] = shown_worlds.KINDS[kind](cls.programs["haptic"], parent / kind)
            world.hand(0, 0.01, 0)  # away from the body, which stays at rest
            world.must("simulate", "scene.toml", "-o", "log.h5")

    def setUp(self):
        super().setUp()
        self.display()

    def shows(self, kind):
        """Whether a picture has the first body of a world at rest where its own camera sees it. The window frames the
        scene anew after a change, at the first image, where the hand may be anywhere on its way. Beside the panel of the
        state, which has a line for each number of the world."""
        worlds = self.worlds[kind]
        labels = []
        for row in (0, -1):
            surfaces = worlds.surfaces("log.h5", row)
            camera = Camera(numpy.concatenate([vertices for vertices, _ in surfaces]), WIDTH, HEIGHT)
            labels.append(rasterise(surfaces, camera)[200:450, 330:600])
        return lambda picture: max(agreement(picture[200:450, 330:600], label, 0)[1] for label in labels) > 0.9

    def scene(self, kind):
        return self.worlds[kind].folder / "scene.toml"

    def test_another_kind_of_scene_is_followed(self):
        self.daemon("--engage", scene=self.scene("solids"))
        process = self.view("--name", self.name)
        self.see(process, self.shows("solids"))
        for kind in ("condensed", "solids"):
            self.must("load", self.scene(kind))
            picture = self.see(process, lambda p: self.shows(kind)(p) and not self.message(p))
            other = {"condensed": "solids", "solids": "condensed"}[kind]
            self.assertFalse(self.shows(other)(picture))
        self.assertGreater(self.ended(process), 0)

    def test_a_daemon_that_dies_is_told_and_the_next_one_is_followed(self):
        daemon = self.daemon(scene=self.scene("solids"))
        process = self.view("--name", self.name)
        self.see(process, lambda p: self.shows("solids")(p) and not self.message(p))
        for end in (daemon.kill, None):
            if end is None:
                daemon.terminate()
            else:
                end()
            daemon.wait(SECONDS)
            self.see(process, self.message)
            # It stays, with one message, for the next images as well.
            before = self.frames()[0]
            self.until(lambda: self.frames()[0] > before + 20)
            self.assertTrue(self.message(self.picture()))
            self.assertIsNone(process.poll(), self.outputs(process))
            kind = "condensed" if end else "solids"
            daemon = self.daemon(scene=self.scene(kind))
            self.see(process, lambda p: self.shows(kind)(p) and not self.message(p))
        self.ended(process)  # with nothing on standard error

    @staticmethod
    def is_readable(telemetry):
        """Whether a daemon has written the magic number, which comes last."""
        try:
            with open(telemetry, "rb", buffering=0) as file:
                return any(file.read(8))
        except FileNotFoundError:
            return False

    def starts_late(self, scene):
        """A daemon that is stopped when readers can open its telemetry, and before its first cycle."""
        telemetry = run_folder() / f"{self.name}.telemetry"
        for _ in range(100):
            telemetry.unlink(missing_ok=True)
            daemon = self.start(self.programs["hapticd"], "--scene", scene, "--name", self.name, "--black-box",
                                self.folder)
            give_up = time.monotonic() + SECONDS
            while not self.is_readable(telemetry):
                self.assertLess(time.monotonic(), give_up, self.said())
            daemon.send_signal(signal.SIGSTOP)
            if self.status()["cycles"] == 0:
                return daemon
            daemon.kill()
            daemon.wait(SECONDS)
        self.fail("no daemon was stopped before its first cycle: " + self.said())

    def test_a_scene_is_framed_at_its_first_moment(self):
        """And not at the last one of the scene before, which was elsewhere."""
        daemon = self.daemon(scene=self.scene("solids"))
        process = self.view("--name", self.name)
        self.see(process, lambda p: self.shows("solids")(p) and not self.message(p))
        daemon.kill()
        daemon.wait(SECONDS)
        daemon = self.starts_late(self.scene("condensed"))
        # The window has found it: the scene before is gone.
        self.see(process, lambda p: self.message(p) and (bodies_by_hue(p[200:450, 250:560]) == NOTHING).all())
        before = self.frames()[0]
        self.until(lambda: self.frames()[0] > before + 3)
        daemon.send_signal(signal.SIGCONT)
        self.see(process, lambda p: self.shows("condensed")(p) and not self.message(p))
        self.ended(process)

    def test_a_window_that_is_not_mapped_draws_nothing(self):
        self.daemon(scene=self.scene("solids"))
        process = self.view("--name", self.name)
        self.see(process, self.shows("solids"))
        window = self.window()
        self.xdo("windowunmap", window)
        waits = self.frames()[1]
        self.until(lambda: self.frames()[1] > waits)
        shown, waits = self.frames()
        self.until(lambda: self.frames()[1] >= waits + 20)
        # Each of the twenty turns waited for an event, and none has drawn.
        self.assertEqual(self.frames()[0], shown)
        self.xdo("windowmap", window)
        self.until(lambda: self.frames()[0] > shown + 2)
        self.see(process, self.shows("solids"))
        self.assertLessEqual(self.ended(process), self.frames()[0])


if __name__ == "__main__":
    window_case.main(("haptic", "hapticd", "count_frames"))

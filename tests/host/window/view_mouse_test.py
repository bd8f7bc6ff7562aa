#!/usr/bin/env python3
"""The mouse in the window of `haptic view` on a daemon: it moves the hand and pulls bodies.

Usage: view_mouse_test.py HAPTIC HAPTICD COUNT_FRAMES. Exit code 77 where Xvfb, xdotool or ImageMagick is missing.
"""
import pathlib
import signal
import sys
import time

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import shown_worlds  # noqa: E402
import window_case  # noqa: E402
from daemon_case import SECONDS  # noqa: E402
from expected_picture import Camera  # noqa: E402
from window_case import HEIGHT, WIDTH, WindowCase  # noqa: E402

PULL = 9  # CommandKind::kPull


class Mouse(WindowCase):
    def setUp(self):
        super().setUp()
        self.display()

    def begin(self, kind, steered=False):
        """A daemon, a window of it and the window's camera, for bodies at rest."""
        self.world = world = shown_worlds.KINDS[kind](self.programs["haptic"], self.folder)
        world.must("simulate", "scene.toml", "-o", "log.h5", "--seconds", "0.01")
        scene = self.folder / "scene.toml"
        hand = 'hand = "steered"' if steered else ""
        scene.write_text(scene.read_text().replace('script = "hand.csv"', hand))
        self.daemon("--engage")
        self.until(lambda: self.status()["ramp"] == 1.0)
        process = self.view("--name", self.name)
        self.until(lambda: process.poll() is not None or self.frames()[0] > 2)
        surfaces = world.surfaces("log.h5", 0)
        self.surface = surfaces[0]
        return process, Camera(numpy.concatenate([vertices for vertices, _ in surfaces]), WIDTH, HEIGHT)

    def place(self):
        return numpy.array(self.status()["hand_position_m"])

    def target(self):
        parameters = self.status()["parameters"]
        return numpy.array([parameters[f"hand.{axis}"] for axis in "xyz"])

    def test_ctrl_and_drag_move_the_hand(self):
        process, camera = self.begin("solids", steered=True)
        with h5py.File(self.folder / "log.h5", "r") as log:
            ball = log["/samples/held_position_m"][0]
        pixel = camera.pixels(ball)[0, 2] / camera.scale  # m
        start = self.place()
        # Above the beam, beside the panels: the hand comes to the cursor, in the plane of the image through it.
        for way in ((300, 150), (450, 200)), ((420, 220), (520, 120)):
            with self.subTest(way):
                self.slowly(("keydown", "ctrl"), ("mousemove", *way[0]), ("mousedown", 1), ("mousemove", *way[1]))
                goal = camera.through(*way[1], ball) - ball + start
                # Rounding of the camera, whose box is of floats.
                self.until(lambda: numpy.abs(self.target() - goal).max() < 1e-2 * pixel)
                # A spring holds the steered hand to its target, and there is nothing to touch.
                self.until(lambda: numpy.abs(self.place() - goal).max() < 0.1 * pixel)
                self.slowly(("mouseup", 1), ("keyup", "ctrl"))
        # Without Ctrl the mouse turns the camera; the hand stays.
        before = self.target()
        self.slowly(("mousemove", 400, 450), ("mousedown", 1), ("mousemove", 450, 450), ("mouseup", 1))
        numpy.testing.assert_array_equal(self.target(), before)
        self.ended(process)

    def test_ctrl_and_wheel_move_the_hand_away(self):
        process, camera = self.begin("solids", steered=True)
        with h5py.File(self.folder / "log.h5", "r") as log:
            ball = log["/samples/held_position_m"][0]
        start = self.place()
        depth = camera.pixels(ball)[0, 2]
        self.slowly(("keydown", "ctrl"), ("mousemove", 450, 150), ("mousedown", 1), ("click", 4))
        # A wheel step scales the way from the eye by 1.02, either way: 2 % of the distance.
        self.until(lambda: abs(abs(camera.pixels(ball + self.place() - start)[0, 2] / depth - 1) - 0.02) < 2e-3)
        self.slowly(("mouseup", 1), ("keyup", "ctrl"))
        self.ended(process)

    def pull(self, kind, end=None):
        """Shift and drag of a vertex of the first body. @returns the executed pulls of the log, and the camera"""
        process, camera = self.begin(kind)
        vertices, _ = self.surface
        # The vertex nearest to the eye, right and up of the middle: nothing is before it.
        pixel = camera.pixels(vertices)
        vertex = numpy.argmin(pixel[:, 2])
        self.at = numpy.round(pixel[vertex, :2] + [0, -3]).astype(int)
        self.to = self.at + [-40, -50]
        output = open(self.folder / "recorder", "w")
        self.addCleanup(output.close)
        recorder = self.start(self.programs["haptic"], "record", "-o", "pulled.h5", "--name", self.name, stdout=output)
        self.until(lambda: list(self.folder.glob("*pulled.h5*")))
        before = self.frames()
        self.slowly(("keydown", "shift"), ("mousemove", *self.at), ("mousedown", 1), ("mousemove", *self.to))
        self.slowly(("mousemove", *self.to))
        self.assertGreater(self.frames(), before)
        if end is None:
            self.slowly(("mouseup", 1), ("keyup", "shift"))
            self.slowly(("mousemove", *self.to))
            time.sleep(0.5)  # what was pulled swings out
            self.ended(process)
        else:
            end(process)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(SECONDS)
        self.vertex = vertices[vertex]
        with h5py.File(self.folder / "pulled.h5", "r") as log:
            mine = (log["/events/command"][:] == PULL) & (log["/events/executed"][:] == 1)
            return {name: log[f"/events/{name}"][:][mine] for name in
                    ("cycle", "pull_stiffness", "pull_limit", *(f"pull_{part}_{axis}" for part in ("point", "target")
                                                                for axis in "xyz"))}, camera

    def expect_pull(self, pulls, camera):
        self.assertGreaterEqual(len(pulls["cycle"]), 2)
        held = pulls["pull_stiffness"] > 0
        # Set, perhaps moved, and released once, as the last.
        self.assertTrue(held[:-1].all() and not held[-1])
        self.assertEqual((pulls["pull_stiffness"][0], pulls["pull_limit"][0]), (200.0, 5.0))
        point, target = (numpy.array([pulls[f"pull_{part}_{axis}"][-2] for axis in "xyz"])
                         for part in ("point", "target"))
        # A pixel, as the click is at a whole one, and the body may have moved a little since its state at rest.
        numpy.testing.assert_allclose(camera.pixels(point)[0, :2], self.at, atol=1.5)
        numpy.testing.assert_allclose(camera.pixels(target)[0, :2], self.to, atol=0.1)

    def test_a_beam_is_pulled_and_let_go(self):
        pulls, camera = self.pull("solids")
        self.expect_pull(pulls, camera)
        with h5py.File(self.folder / "pulled.h5", "r") as log:
            cycle = log["/samples/cycle"][:]
            q = numpy.abs(log["/state/bodies/coordinates"][:]).max(axis=1)
        pulled = (cycle > pulls["cycle"][0]) & (cycle < pulls["cycle"][-1])
        self.assertEqual(q[cycle < pulls["cycle"][0]].max(initial=0.0), 0.0)
        self.assertGreater(q[pulled].max(), 0.0)
        # Beside other work it may be let go while it still gains speed.
        self.assertLess(q[-1], q.max())

    def test_a_cloth_is_pulled_and_let_go(self):
        pulls, _ = self.pull("cloth")
        held = pulls["pull_stiffness"] > 0
        self.assertTrue(held[:-1].all() and len(held) >= 2 and not held[-1])

    def test_a_window_that_is_ended_lets_go(self):
        pulls, _ = self.pull("solids", end=self.ended)
        self.assertEqual(pulls["pull_stiffness"][-1], 0.0)

    def test_a_window_that_is_unmapped_lets_go(self):
        def unmap(process):
            self.xdo("windowunmap", self.window())
            before = self.frames()[1]
            self.until(lambda: self.frames()[1] > before + 2)
        pulls, _ = self.pull("solids", end=unmap)
        self.assertEqual(pulls["pull_stiffness"][-1], 0.0)


if __name__ == "__main__":
    window_case.main(("haptic", "hapticd", "count_frames"))

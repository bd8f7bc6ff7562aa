#!/usr/bin/env python3
"""Every kind of world with bending bodies in pictures and windows of `haptic view`: of a scene, a log and a daemon.

What must be seen where is computed from the log by a rasteriser of the test (expected_picture.py).
Usage: view_worlds_test.py HAPTIC HAPTICD COUNT_FRAMES. Exit code 77 where Xvfb, xdotool or ImageMagick is missing.
"""
import pathlib
import shutil
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import shown_worlds  # noqa: E402
import window_case  # noqa: E402
from expected_picture import Camera, agreement, rasterise  # noqa: E402
from window_case import HEIGHT, WIDTH, WindowCase, pixels_of  # noqa: E402

ARROW = 0.06  # length of the arrow of the contact force, diagonals of the scene a newton


class Worlds(WindowCase):
    @classmethod
    def setUpClass(cls):
        parent = pathlib.Path(tempfile.mkdtemp(prefix="haptic-worlds-"))
        cls.addClassCleanup(shutil.rmtree, parent)
        cls.worlds = {}
        for kind, world in shown_worlds.KINDS.items():
            (parent / kind).mkdir()
            made = cls.worlds[kind] = world(cls.programs["haptic"], parent / kind)
            made.must("simulate", "scene.toml", "-o", "log.h5")

    def setUp(self):
        super().setUp()
        self.scenes = pathlib.Path(self.folder)

    def draw(self, world, *words):
        world.must("view", "--png", "picture.png", "--width", WIDTH, "--height", HEIGHT, *words)
        return pixels_of(world.folder / "picture.png")

    def expect(self, picture, surfaces, camera, arrow=False):
        """Nineteen twentieths of what is inside of a body's outline have its hue: the rest is under the arrow of the
        force, the axes of the hand, in their shadow or in a highlight. Outside are at most the axes, whose colours
        are more saturated, with blended edges."""
        label = rasterise(surfaces, camera)
        for body in range(len(surfaces)):
            with self.subTest(body=body):
                inside, seen, stray = agreement(picture, label, body)
                if inside < 200:  # hidden by others, as a table by its cloth
                    continue
                small = inside < 5000  # where the arrow covers much
                self.assertGreater(seen, 0.7 if small else 0.95)
                self.assertLess(stray, 0.05 if small else 0.01)
        return label

    def all_points(self, surfaces):
        return numpy.concatenate([vertices for vertices, _ in surfaces])

    def still(self, kind, log="log.h5", row=-1):
        """@returns surfaces at the row, and the camera of one picture of it"""
        world = self.worlds[kind]
        surfaces = world.surfaces(log, row)
        points = self.all_points(surfaces)
        force, origin = world.force(world.folder / log, row)
        also = ()
        if numpy.linalg.norm(force) > 1e-3:
            diagonal = numpy.linalg.norm(points.max(axis=0) - points.min(axis=0))
            also = [origin + ARROW * diagonal * force]
        return surfaces, Camera(points, WIDTH, HEIGHT, room=0, also=also)

    def moved(self, kind, log="log.h5"):
        """The deformation is seen: outlines at the beginning of the log would not be taken for those at its end."""
        surfaces, camera = self.still(kind, log)
        first = rasterise(self.worlds[kind].surfaces(log, 0), camera)
        last = rasterise(surfaces, camera)
        return (first != last).mean()

    def test_a_picture_of_a_scene_at_rest(self):
        for kind, world in self.worlds.items():
            with self.subTest(kind):
                picture = self.draw(world, "--scene", "scene.toml")
                surfaces = world.surfaces("log.h5", 0)
                if kind == "cloth":  # flat, before the first step
                    with h5py.File(world.folder / "sheet.h5", "r") as model:
                        flat, triangles = model["/surface/vertices"][:], model["/surface/triangles"][:]
                    turned = flat @ numpy.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
                    surfaces[0] = (turned + [-0.15, 0.003, 0.15], triangles)
                self.expect(picture, surfaces, Camera(self.all_points(surfaces), WIDTH, HEIGHT, room=0))

    def test_a_picture_of_a_log_is_where_its_state_says(self):
        for kind, world in self.worlds.items():
            with self.subTest(kind):
                self.assertGreater(self.moved(kind), 0.01)
                with h5py.File(world.folder / "log.h5", "r") as log:
                    times = log["/samples/time_s"][:]
                for row in (len(times) // 2, len(times) - 1):
                    surfaces, camera = self.still(kind, row=row)
                    self.expect(self.draw(world, "--log", "log.h5", "--at", times[row]), surfaces, camera)

    def test_a_log_in_a_window_at_its_end(self):
        self.display()
        for kind, world in self.worlds.items():
            with self.subTest(kind):
                first = world.surfaces("log.h5", 0)
                camera = Camera(self.all_points(first), WIDTH, HEIGHT)
                process = self.view("--log", world.folder / "log.h5")
                self.see(process, lambda p: self.has_bodies(p, rasterise(first, camera)))
                self.to_the_end(process)
                self.expect(self.halted(process), world.surfaces("log.h5", -1), camera)
                self.ended(process)

    def has_bodies(self, picture, label):
        """In the middle, between the panels."""
        part = (slice(200, 450), slice(200, 600))
        _, seen, _ = agreement(picture[part], label[part], 0)
        return seen > 0.8

    def test_a_run_of_a_scene_in_a_window_to_its_end(self):
        self.display()
        for kind, world in self.worlds.items():
            with self.subTest(kind):
                camera = Camera(self.all_points(world.surfaces("log.h5", 0)), WIDTH, HEIGHT)
                last = world.surfaces("log.h5", -1)
                process = self.view("--scene", world.folder / "scene.toml")
                # It runs by itself and stops at the end of the script.
                self.see(process, lambda p: self.has_bodies(p, rasterise(last, camera)))
                self.expect(self.halted(process), last, camera)
                self.ended(process)

    def test_a_daemon_in_a_picture_and_in_a_window(self):
        self.display()
        for kind, world in self.worlds.items():
            with self.subTest(kind):
                self.name = f"{self.name[:40]}-{kind[:5]}"
                daemon = self.daemon("--engage", scene=world.folder / "scene.toml")
                self.at_rest(world)
                picture = self.draw(world, "--name", self.name)
                self.must("record", "-o", world.folder / "live.h5", "--seconds", "0.2")
                surfaces, camera = self.still(kind, "live.h5")
                self.assertGreater(self.moved_since_rest(world, surfaces, camera), 0.01)
                self.expect(picture, surfaces, camera)
                process = self.view("--name", self.name)
                shown = Camera(self.all_points(surfaces), WIDTH, HEIGHT)
                self.see(process, lambda p: self.has_bodies(p, rasterise(surfaces, shown)))
                self.expect(self.saved(process), surfaces, shown)
                self.ended(process)
                self.expect_stops(daemon)

    def moved_since_rest(self, world, surfaces, camera):
        return (rasterise(world.surfaces("log.h5", 0), camera) != rasterise(surfaces, camera)).mean()

    def at_rest(self, world):
        """The hand is at the end of its script, and the bodies have come to rest: within a tenth of a millimetre,
        which is a third of a pixel."""
        def rests():
            self.must("record", "-o", world.folder / "way.h5", "--seconds", "0.5", "--force")
            before, after = (self.all_points(world.surfaces("way.h5", row)) for row in (0, -1))
            return numpy.abs(after - before).max() < 1e-4 and self.status()["ramp"] == 1.0
        self.until(rests)


if __name__ == "__main__":
    window_case.main(("haptic", "hapticd", "count_frames"))

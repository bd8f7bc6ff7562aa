#!/usr/bin/env python3
"""The panels of the window of `haptic view`, clicked: point trees, slices, contact points; and a window that shrinks.

Usage: view_panels_test.py HAPTIC HAPTICD COUNT_FRAMES. Exit code 77 where Xvfb, xdotool or ImageMagick is missing.
"""
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import shown_worlds  # noqa: E402
import window_case  # noqa: E402
from expected_picture import Camera  # noqa: E402
from window_case import HEIGHT, ROWS, WIDTH, WindowCase  # noqa: E402


class Panels(WindowCase):
    def setUp(self):
        super().setUp()
        self.display()

    def make(self, kind):
        world = shown_worlds.KINDS[kind](self.programs["haptic"], self.folder)
        world.must("simulate", "scene.toml", "-o", "log.h5")
        return world

    def at_the_end(self, *words):
        """A window of the log, halted at its last row."""
        process = self.view("--log", "log.h5", *words)
        self.to_the_end(process)
        return process, self.halted(process)

    def option(self, *words):
        """What a window shows that was opened with these options."""
        process, picture = self.at_the_end(*words)
        self.ended(process)
        return picture

    def test_a_point_tree_is_ticked_and_its_level_is_dragged(self):
        self.make("solids")
        level_1, level_3 = (self.option("--tree", level) for level in "13")
        process, plain = self.at_the_end()
        # Spheres cover much of the picture, the points of the last level some thousandths of it.
        for picture in (level_1, level_3):
            self.assertGreater((picture != plain).any(axis=2).mean(), 0.003)
        self.assertGreater((level_1 != level_3).any(axis=2).mean(), 0.01)
        self.tick("point tree")
        numpy.testing.assert_array_equal(self.halted(process), level_1)
        # The slider is two rows below: its right end is the deepest level of three.
        left = self.panel_left()
        self.click(left + 8 + 116, ROWS["point tree"] + 2 * 23)
        numpy.testing.assert_array_equal(self.halted(process), level_3)
        self.tick("point tree")
        numpy.testing.assert_array_equal(self.halted(process), plain)
        self.ended(process)

    def panel_left(self):
        """The left edge of the panel "Shown": its ground is lighter than anything beside it."""
        row = self.picture()[8 + 19 + 4, :, :].min(axis=1)
        light = row > 236
        x = WIDTH - 12
        while light[x]:
            x -= 1
        return x

    def test_a_slice_is_ticked_and_its_body_chosen(self):
        self.make("solids")
        sliced = self.option("--slice", "ball:x=0")
        process, plain = self.at_the_end()
        self.tick("distance field")
        numpy.testing.assert_array_equal(self.halted(process), plain)  # of no body yet
        left = self.panel_left()
        body = ROWS["distance field"] + 23
        self.click(left + 8 + 60, body)
        # The list below it: no body, then those with a field, which the beam is not; rows of 17 pixels.
        self.click(left + 8 + 60, body + 10 + 8 + 17 + 8)
        self.until(lambda: (self.saved(process) != plain).any())
        # A slice through the middle of the ball, which the option names: offsets of sliders are floats.
        picture = self.halted(process)
        self.assertGreater((sliced != plain).any(axis=2).mean(), 0.01)
        self.assertLess((picture != sliced).any(axis=2).mean(), 1e-3)
        self.click(self.panel_left() + 8 + 40, ROWS["distance field"])  # the panel is wide now
        numpy.testing.assert_array_equal(self.halted(process), plain)
        self.ended(process)

    def gold(self, picture):
        """Pixels of the arrows of contact points."""
        red, green, blue = (picture[..., i].astype(int) for i in range(3))
        return (red > green + 15) & (green > 2.2 * blue) & (red > 90)

    def test_contact_points_of_every_kind_of_world_of_a_log_and_of_a_run(self):
        for kind in shown_worlds.KINDS:
            with self.subTest(kind):
                world = self.make(kind)
                camera = Camera(numpy.concatenate([v for v, _ in world.surfaces("log.h5", 0)]), WIDTH, HEIGHT)
                _, place = world.force(self.folder / "log.h5", -1)
                x, y, depth = camera.pixels(place)[0]
                for words in (("--log", "log.h5"), ("--scene", "scene.toml")):
                    process = self.view(*words)
                    if words[0] == "--log":
                        self.to_the_end(process)
                    else:  # it halts at the end of its script
                        self.see(process, self.bar_is_at_its_end)
                    self.tick("contact force")  # whose arrow covers one of a single point
                    self.tick("hand and its object")
                    plain = self.halted(process)
                    self.tick("contact points")
                    # Once a log is replayed: until then a message says how far it is.
                    self.until(lambda: (self.saved(process) != plain).any())
                    self.see(process, lambda p: not self.message(p))
                    picture = self.halted(process)
                    changed = (picture != plain).any(axis=2)
                    self.assertGreater(changed.sum(), 20)
                    self.assertGreater((self.gold(picture) & changed).sum(), 10)
                    # Arrows and marks are at the ball: within its radius and the arrows' tenth of the diagonal.
                    rows, columns = numpy.nonzero(changed)
                    room = camera.scale / depth * (world.ball + world.touched + 0.12 * camera.diagonal)
                    self.assertLess(numpy.hypot(columns - x, rows - y).max(), room)
                    self.ended(process)

    def test_the_contact_points_of_a_daemon_of_cloth_are_told_to_be_missing(self):
        self.make("cloth")
        self.daemon()
        process = self.view("--name", self.name)
        self.until(lambda: process.poll() is not None or self.frames()[0] > 2)
        before = self.see(process, lambda p: True)
        self.assertFalse(self.message(before))
        self.tick("contact points")
        self.see(process, self.message)
        self.tick("contact points")
        self.see(process, lambda p: not self.message(p))
        self.ended(process)

    def test_the_panel_of_the_state_is_back_where_it_was_after_the_window_was_tiny(self):
        self.make("solids")
        process, _ = self.at_the_end()
        panel = (slice(8, 60), slice(8, 160))  # its title and first lines; the rate of images is below
        before = self.picture()[panel]
        window = self.window()
        for size in ((1, 1), (60, 40), (300, 20)):
            self.slowly(("windowsize", window, *size), ("windowsize", window, WIDTH, HEIGHT))
            numpy.testing.assert_array_equal(self.picture()[panel], before, str(size))
        # Dragged to the right edge, it is inside a narrower window, and back in a wide one.
        self.slowly(("mousemove", 40, 18), ("mousedown", 1), ("mousemove", 300, 218), ("mousemove", 340, 218),
                    ("mouseup", 1))
        moved = (slice(208, 260), slice(308, 460))
        numpy.testing.assert_array_equal(self.picture()[moved][20:], before[20:])  # its title is of another colour
        self.slowly(("windowsize", window, 250, HEIGHT), ("windowsize", window, WIDTH, HEIGHT))
        numpy.testing.assert_array_equal(self.picture()[moved][20:], before[20:])
        self.ended(process)


if __name__ == "__main__":
    window_case.main(("haptic", "hapticd", "count_frames"))

#!/usr/bin/env python3
"""The files of `haptic new` run as they are written: each recipe is baked, each scene simulated with the hand.

Usage: new_test.py HAPTIC HAPTICD [unittest arguments]
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])


class New(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-new-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_in(self, *command, code=0):
        result = subprocess.run([str(c) for c in command], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, code, f"{command}: {result.stderr}")
        return result

    def bake(self, kind, *mesh):
        self.run_in(HAPTIC, "new", "recipe", "--kind", kind, "-o", "part.toml")
        if mesh:
            self.run_in(HAPTIC, "mesh", *mesh, "-o", "part.obj")
        return json.loads(self.run_in(HAPTIC, "bake", "part.toml", "-o", "part.h5", "--json").stdout)

    def simulate(self, kind, limit):
        self.run_in(HAPTIC, "new", "scene", "--kind", kind, "-o", "scene.toml")
        self.run_in(HAPTIC, "new", "hand", "-o", "hand.csv")
        self.assertNotIn("the default is now", self.run_in(HAPTICD, "--scene", "scene.toml", "--check").stderr)
        run = json.loads(self.run_in(HAPTIC, "simulate", "scene.toml", "-o", "log.h5", "--json").stdout)
        self.assertEqual(run["cycles"], 5001)  # 5 s of the hand at 1000 Hz, and the first
        self.assertGreater(run["world_state"]["contact/points"]["nonzero_cycles"], 1000)
        # Felt, and not cut by the limit of the scene (or of the simulated device).
        self.assertGreater(run["largest_force_N"], 0.1)
        self.assertLess(run["largest_force_N"], limit)

    def press(self, gap, limit, rate=1000):
        """A hand that rests at 1 to 30 mm of depth feels what the body gets, up to the limit of the force."""
        scene = self.folder / "scene.toml"
        text = scene.read_text()
        scene.write_text(text.replace("rate_hz = 1000", f"rate_hz = {rate}"))
        rows, ends, time = ["time_s,x_m,y_m,z_m,qw,qx,qy,qz", "0,0,0,0,1,0,0,0"], [], 0.5
        for depth in (1, 3, 6, 10, 15, 20, 25, 30):
            y = -(gap + depth) / 1000
            rows += [f"{time:g},0,{y:g},0,1,0,0,0", f"{time + 2.5:g},0,{y:g},0,1,0,0,0"]
            ends.append(time + 2.5)
            time += 3.0
        (self.folder / "hand.csv").write_text("\n".join(rows) + "\n")
        self.run_in(HAPTIC, "simulate", "scene.toml", "-o", "press.h5")
        within = 0
        with h5py.File(self.folder / "press.h5") as log:
            felt, given = (numpy.linalg.norm(log[f"samples/{name}_force_N"], axis=1) for name in ("wanted", "contact"))
            for end in ends:
                at = round(end * rate)
                # At 1 mm the ball may lie between the points of the part.
                if 0.01 < felt[at] < limit:
                    within += 1
                    # 0.5 % for what is left of the body's own ringing.
                    self.assertLess(abs(felt[at] / given[at] - 1), 0.005, f"{rate} Hz, {end} s: {felt[at]} {given[at]}")
        self.assertGreater(within, 3)
        scene.write_text(text)

    def test_solids(self):
        summary = self.bake("solids", "box")
        self.assertEqual((summary["dimension"], summary["shell_points"]), (15, 3000))
        self.assertGreater(summary["fixed_vertices"], 0)
        self.assertLess(summary["fixed_vertices"], summary["mesh_vertices"])
        self.simulate("solids", 5.0)
        for rate in (250, 1000, 4000):
            self.press(5.0, 5.0, rate)
        scene = self.folder / "scene.toml"
        lines = scene.read_text().splitlines(keepends=True)
        scene.write_text("".join(line for line in lines if not line.startswith("defaults")))  # of an earlier version
        said = self.run_in(HAPTICD, "--scene", "scene.toml", "--check").stderr
        self.assertIn("hapticd: warning: scene.toml: coupling.static_damping: the default is now 0", said)
        self.assertIn("type defaults = 2 before the first table", said)

    def test_condensed(self):
        summary = self.bake("condensed", "box", "--set", "resolution=21")
        self.assertEqual(summary["condensed_modes"], 12)
        self.simulate("condensed", 8.5)
        self.press(5.0, 8.5)

    def test_cloth(self):
        self.assertGreater(self.bake("cloth")["springs"], 30 * 29 * 2)
        self.simulate("cloth", 8.5)
        self.press(7.0, 8.5)

    def test_a_rigid_part(self):
        summary = self.bake("rigid", "box")
        self.assertEqual((summary["dimension"], summary["field_resolution"], summary["shell_points"]), (0, 64, 3000))

    def test_standard_output_and_files_that_exist(self):
        text = self.run_in(HAPTIC, "new", "recipe").stdout
        self.assertTrue(text.startswith("# Recipe of a deformable body"), text[:40])
        (self.folder / "mine.toml").write_text("mine")
        refused = self.run_in(HAPTIC, "new", "recipe", "-o", "mine.toml", code=2)
        self.assertEqual(refused.stderr, "haptic: mine.toml: the file exists, expected a new file\n")
        self.assertEqual((self.folder / "mine.toml").read_text(), "mine")
        self.run_in(HAPTIC, "new", "recipe", "-o", "none/a.toml", code=2)
        self.assertIn("cloth", self.run_in(HAPTIC, "new", "scene", "--kind", "cloht", code=2).stderr)

    def test_lines_are_comments_tables_and_keys_and_fit_a_page(self):
        for kind in ("solids", "rigid", "condensed", "cloth"):
            for line in self.run_in(HAPTIC, "new", "recipe", "--kind", kind).stdout.splitlines():
                self.assertTrue(len(line) <= 120, line)
                self.assertTrue(re.match(r"#|\[|$|\w+ = ", line), line)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

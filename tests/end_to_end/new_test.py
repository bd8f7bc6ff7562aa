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
        self.run_in(HAPTICD, "--scene", "scene.toml", "--check")
        run = json.loads(self.run_in(HAPTIC, "simulate", "scene.toml", "-o", "log.h5", "--json").stdout)
        self.assertEqual(run["cycles"], 5001)  # 5 s of the hand at 1000 Hz, and the first
        self.assertGreater(run["world_state"]["contact/points"]["nonzero_cycles"], 1000)
        # Felt, and not cut by the limit of the scene (or of the simulated device).
        self.assertGreater(run["largest_force_N"], 0.1)
        self.assertLess(run["largest_force_N"], limit)

    def test_solids(self):
        summary = self.bake("solids", "box")
        self.assertEqual((summary["dimension"], summary["shell_points"]), (15, 3000))
        self.assertGreater(summary["fixed_vertices"], 0)
        self.assertLess(summary["fixed_vertices"], summary["mesh_vertices"])
        self.simulate("solids", 5.0)

    def test_condensed(self):
        summary = self.bake("condensed", "box", "--set", "resolution=21")
        self.assertEqual(summary["condensed_modes"], 12)
        self.simulate("condensed", 8.5)

    def test_cloth(self):
        self.assertGreater(self.bake("cloth")["springs"], 30 * 29 * 2)
        self.simulate("cloth", 8.5)

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

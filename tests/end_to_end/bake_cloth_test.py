#!/usr/bin/env python3
"""Bakes of cloth by haptic, read back with h5py.

Usage: bake_cloth_test.py HAPTIC [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

HAPTIC = str(pathlib.Path(sys.argv[1]).resolve())


class Cloth(unittest.TestCase):
    """From a grid, a mesh of the catalogue and an OBJ with quadrilaterals."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-cloth-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_haptic(self, *arguments):
        return subprocess.run([HAPTIC, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def bake(self, source, cloth=""):
        """Bakes and verifies; the summary and the datasets of the model."""
        (self.folder / "cloth.toml").write_text(f"[source]\n{source}\n[cloth]\n{cloth}\n")
        done = self.run_haptic("bake", "cloth.toml", "-o", "cloth.h5", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        verified = self.run_haptic("verify", "cloth.h5", "--json")
        self.assertEqual(verified.returncode, 0, verified.stdout)
        self.assertIn("cloth_rest_lengths", verified.stdout)
        with h5py.File(self.folder / "cloth.h5") as file:
            data = {}
            file.visititems(lambda name, item: data.update({name: item[()]} if hasattr(item, "shape") else {}))
        return json.loads(done.stdout), data

    def check_rest_lengths(self, data):
        first, second = data["surface/vertices"][data["cloth/springs/particles"].T.astype(int)]
        # Rounding of the coordinates: 1.1e-16 of the size over the shortest spring.
        numpy.testing.assert_allclose(numpy.linalg.norm(first - second, axis=1), data["cloth/springs/rest"], rtol=1e-12)

    def test_a_grid(self):
        summary, data = self.bake("grid = { particles = [8, 5], size = [0.7, 0.4] }", "areal_density = 0.3")
        self.assertEqual((summary["surface_vertices"], summary["surface_triangles"]), (40, 56))
        # nx (ny - 1) + ny (nx - 1), 2 (nx - 1) (ny - 1), nx (ny - 2) + ny (nx - 2): docs/methods/cloth.md.
        self.assertEqual(list(numpy.bincount(data["cloth/springs/kind"])), [67, 56, 54])
        self.assertEqual(summary["springs"], 177)
        self.assertEqual(list(data["cloth/grid"]), [8, 5])
        numpy.testing.assert_allclose(data["cloth/masses"], 0.3 * 0.28 / 40, rtol=1e-13)
        self.assertEqual(set(data["cloth/springs/stiffness"]), {200.0, 100.0, 10.0})
        self.check_rest_lengths(data)
        self.assertFalse((self.folder / "cloth.bake").exists())
        inspected = json.loads(self.run_haptic("inspect", "cloth.h5", "--json").stdout)
        self.assertEqual(inspected["attributes"]["/cloth.springs"], "three-kinds")
        self.assertIn("/cloth/springs/bending", [section["name"] for section in inspected["sections"]])

    def test_a_bag_of_the_catalogue(self):
        done = self.run_haptic("mesh", "sphere", "--set", "subdivisions=2", "-o", "bag.obj")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary, data = self.bake('mesh = "bag.obj"\nlength = 0.3\norigin = "mass"', 'springs = "choi-ko"\nmass = 0.05')
        self.assertEqual(summary["surface_vertices"], 162)
        self.assertAlmostEqual(data["cloth/masses"].sum(), 0.05, delta=1e-15)
        self.assertEqual(list(numpy.bincount(data["cloth/springs/kind"])), [0, 0, 0, 480, 480])
        numpy.testing.assert_allclose(data["cloth/masses"] @ data["surface/vertices"], 0.0, atol=1e-16)
        self.check_rest_lengths(data)

    def test_an_obj_with_quadrilaterals(self):
        (self.folder / "flag.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1.5 0.5 0\nf 1 2 3 4\nf 2 5 3\n")
        _, data = self.bake('mesh = "flag.obj"\nlength = 1.5')
        numpy.testing.assert_array_equal(data["surface/vertices"][4], [1.5, 0.5, 0.0])
        numpy.testing.assert_array_equal(data["cloth/quads"], [[0, 1, 2, 3]])
        # Six edges, two diagonals, and a bend spring across the edge 1-2 from 0, whose half of the square has it, to 4.
        self.assertEqual(list(numpy.bincount(data["cloth/springs/kind"])), [6, 2, 1])
        self.assertNotIn("cloth/grid", data)
        self.check_rest_lengths(data)

    def test_bad_input_is_one_line(self):
        (self.folder / "loose.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nf 1 2 3\n")
        for text, line in (
                ('mesh = "loose.obj"\nlength = 1.0\n[cloth]\n', "loose.obj: vertex 3: no triangle has it"),
                ("grid = { particles = [9, 9], size = [1.0, 1.0] }\n[cloth]\nmass = 0.0\n", "cloth.mass: found 0.0"),
                ("grid = { particles = [9000, 9000], size = [1.0, 1.0] }\n[cloth]\n", "at most 4000000 particles"),
                ('mesh = "loose.obj"\nlength = 1.0\n[cloth]\n[shell]\npoints = 9\n', "shell: found together")):
            (self.folder / "cloth.toml").write_text("[source]\n" + text)
            done = self.run_haptic("bake", "cloth.toml", "-o", "bad.h5")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(line, done.stderr)
            self.assertFalse((self.folder / "bad.h5").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

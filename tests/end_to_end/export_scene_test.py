#!/usr/bin/env python3
"""`haptic export -o NAME.pvd` of each kind of world, read by VTK.

Usage: export_scene_test.py HAPTIC [unittest arguments]
"""
import pathlib
import sys
import xml.etree.ElementTree

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from three_worlds import HAPTIC, SKIPPED, ThreeWorlds, main  # noqa: E402

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    print("skipped: python3-vtk9 not installed")
    sys.exit(SKIPPED)


def read(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()


def points_of(data):
    return vtk_to_numpy(data.GetPoints().GetData())


def rotated(orientation, vectors):
    """Vectors turned by a quaternion w, x, y, z."""
    w, axis = orientation[0], orientation[1:]
    return vectors + 2.0 * numpy.cross(axis, numpy.cross(axis, vectors) + w * vectors)


def deformable_body(file):
    """Index of the first body that is not rigid."""
    for body in range(len(file["bodies"])):
        if f"display/bodies/surface/{body}" in file or file[f"bodies/{body}"].attrs["coordinate_count"] > 0:
            return body
    raise AssertionError("a scene of rigid bodies")


class Scenes(ThreeWorlds):
    def export(self, log, *options):
        name = log.stem + "".join(options).replace("-", "_")
        self.said = self.must(HAPTIC, "export", log, "-o", f"{name}.pvd", *options)
        steps = {}
        for entry in xml.etree.ElementTree.parse(self.folder / f"{name}.pvd").getroot().iter("DataSet"):
            steps.setdefault(float(entry.get("timestep")), []).append(self.folder / entry.get("file"))
        return steps

    def test_every_body_is_where_the_log_has_it(self):
        for kind, log in self.each_world():
            steps = self.export(log)
            with h5py.File(log) as file:
                rows = round(file["samples/time_s"][-1] * 25) + 1
                self.assertEqual(len(steps), rows)
                time, (bodies, contacts) = max(steps.items())
                row = int(numpy.searchsorted(file["samples/time_s"][:], time - 1e-9))
                data = read(bodies)
                points = points_of(data)
                self.assertEqual(data.GetNumberOfPolys(), data.GetNumberOfCells())
                body = deformable_body(file)
                about = file[f"bodies/{body}"].attrs
                triangles = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
                first = triangles[vtk_to_numpy(data.GetCellData().GetArray("body")) == body].min()
                pose = file["state/bodies/pose"][row].reshape(-1, 7)[body]
                with h5py.File(about["model"]) as model:
                    rest = model["surface/vertices"][:]
                    numpy.testing.assert_array_equal(
                        triangles[vtk_to_numpy(data.GetCellData().GetArray("body")) == body] - first,
                        model["surface/triangles"][:])
                    if f"display/bodies/surface/{body}" in file:
                        cycles = file["display_cycles/last"][:]
                        shot = max(int(numpy.searchsorted(cycles, file["samples/cycle"][row], "right")) - 1, 0)
                        now = file[f"display/bodies/surface/{body}"][shot].reshape(-1, 3)
                    else:
                        start = int(about["first_coordinate"])
                        q = file["state/bodies/coordinates"][row][start:start + int(about["coordinate_count"])]
                        basis = model["surface/basis"][:].reshape(3 * len(rest), -1)
                        u = (basis[:, :len(q)] @ q).reshape(-1, 3)
                        now = rotated(pose[3:], rest + u) + pose[:3]
                # Single precision of some decimetres.
                own = slice(first, first + len(rest))
                numpy.testing.assert_allclose(points[own], now, atol=1e-6)
                displacement = vtk_to_numpy(data.GetPointData().GetArray("displacement"))[own]
                numpy.testing.assert_allclose(displacement, now - rotated(pose[3:], rest) - pose[:3], atol=1e-6)
                self.assertGreater(abs(displacement).max(), 1e-4)
                total = read(contacts)
                force = vtk_to_numpy(total.GetPointData().GetArray("force"))
                numpy.testing.assert_allclose(force[0], file["samples/contact_force_N"][row], rtol=1e-6, atol=1e-9)
                numpy.testing.assert_allclose(points_of(total)[0], file["samples/held_position_m"][row], atol=1e-7)
                if kind == "solids":
                    self.assertEqual(len(force) - 1, file["state/contact/points"][row])
                    self.assertGreater(len(force), 10)
                    depth = vtk_to_numpy(total.GetPointData().GetArray("depth"))
                    self.assertTrue((depth[1:] > 0).all())
                else:
                    # The world counted its pressing contacts in the loop.
                    self.assertNotIn("without contact points", self.said)
                    self.assertEqual(len(force) - 1, file["state/contact/points"][row])
                    self.assertGreater(len(force), 1)
                    if kind == "condensed":  # a cloth also touches bodies that are not held
                        # Each force is rounded to single precision.
                        numpy.testing.assert_allclose(force[1:].sum(axis=0), force[0], atol=1e-6 * abs(force).sum())
                    # The material points that press are on the deformed surface: no further from its vertices than
                    # the longest edge.
                    where, surface = points_of(total)[1:], points[own]
                    corners = surface[triangles[vtk_to_numpy(data.GetCellData().GetArray("body")) == body] - first]
                    edge = numpy.linalg.norm(corners - numpy.roll(corners, 1, axis=1), axis=2).max()
                    nearest = numpy.linalg.norm(where[:, None] - surface[None], axis=2).min(axis=1)
                    self.assertLess(nearest.max(), edge)

    def test_frames_are_chosen_by_time_and_step(self):
        log = self.logs["cloth"]
        steps = self.export(log, "--every", "100", "--from", "0.1", "--until", "0.4")
        numpy.testing.assert_allclose(sorted(steps), [0.1, 0.2, 0.3, 0.4], atol=1e-12)

    def test_an_existing_folder_and_a_missing_model_are_refused(self):
        log = self.logs["cloth"]
        (self.folder / "there").mkdir()
        self.assertIn("found something of this name", self.refused(2, HAPTIC, "export", log, "-o", "there.pvd"))
        self.assertEqual(list((self.folder / "there").iterdir()), [])
        self.assertFalse((self.folder / "there.pvd").exists())
        self.assertIn("--columns", self.refused(2, HAPTIC, "export", log, "-o", "a.pvd", "--columns", "force"))
        model = self.folder / "scenes" / "cloth" / "curtain.h5"
        model.rename(model.with_suffix(".away"))
        try:
            self.assertIn("curtain.h5", self.refused(2, HAPTIC, "export", log, "-o", "away.pvd"))
        finally:
            model.with_suffix(".away").rename(model)
        self.assertEqual(list(self.folder.glob("away*")) + list(self.folder.glob("*.tmp*")), [])


if __name__ == "__main__":
    main()

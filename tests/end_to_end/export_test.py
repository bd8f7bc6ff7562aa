#!/usr/bin/env python3
"""`haptic export` of each kind of world: tables, held against the log by other readers.

Usage: export_test.py HAPTIC [unittest arguments]
"""
import csv
import ctypes
import ctypes.util
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import parquet_reader  # noqa: E402
from programs import bake_beam, beam_recipe, run  # noqa: E402
from three_worlds import HAPTIC, ThreeWorlds, main  # noqa: E402


class Models(ThreeWorlds):
    def test_a_log_is_drawn_with_the_models_that_ran_or_not_at_all(self):
        log = self.folder / "other.h5"
        shutil.copy(self.logs["solids"], log)
        with h5py.File(log, "r+") as file:
            body = next(b for b in file["bodies"].values() if b.attrs["model"].startswith(b"/"))
            name, model = body.attrs["name"].decode(), body.attrs["model"].decode()
            body.attrs.modify("model_hash", numpy.bytes_("0123456789abcdef"))
        line = (f"haptic: {log}: {name}: {model} was changed since it ran, expected the model 0123456789abcdef, "
                "or --any-model\n")
        drawn = (("export", log, "--every", "200", "-o", "other.pvd"), ("view", "--log", log, "--fps", "2", "--glb", "other.glb"))
        for command in drawn:
            self.assertEqual(self.refused(2, HAPTIC, *command), line)
            done = run(HAPTIC, *command, "--any-model", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, line.replace("haptic: ", "haptic: warning: ", 1)))
        self.must(HAPTIC, "export", log, "-o", "other.csv")  # draws nothing


class Tables(ThreeWorlds):
    def test_csv_has_the_bits_of_the_log(self):
        for kind, log in self.each_world():
            self.must(HAPTIC, "export", log, "-o", "a.csv")
            raw = (self.folder / "a.csv").read_bytes()
            self.assertEqual(raw.count(b"\n"), raw.count(b"\r\n"))
            rows = list(csv.reader(raw.decode().splitlines(), strict=True))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            with h5py.File(log) as file:
                column = rows[0].index("device_force.y [N]")
                self.assertEqual([float(row[column]) for row in rows[1:]], list(file["samples/device_force_N"][:, 1]))
                column = rows[0].index("bodies/pose[0].qw")
                self.assertEqual([float(row[column]) for row in rows[1:]], list(file["state/bodies/pose"][:, 3]))
                self.assertGreater(numpy.ptp(file["samples/contact_force_N"][:]), 0.0 if kind != "cloth" else -1.0)

    def test_parquet_has_the_bits_of_the_log_and_the_units(self):
        for _, log in self.each_world():
            self.must(HAPTIC, "export", log, "-o", "a.parquet")
            columns, metadata, _ = parquet_reader.read(self.folder / "a.parquet")
            with h5py.File(log) as file:
                self.assertEqual(columns["cycle"], list(file["samples/cycle"]))
                for axis, name in enumerate("xyz"):
                    self.assertEqual(columns[f"held_position.{name}"], list(file["samples/held_position_m"][:, axis]))
                self.assertEqual(metadata["scene"], file.attrs["scene"].decode())
            self.assertEqual(metadata["unit.held_position.x"], "m")
            self.assertEqual(set(columns), {key[5:] for key in metadata if key.startswith("unit.")})

    def test_a_matlab_file_is_read_by_h5py_matio_and_octave(self):
        for _, log in self.each_world():
            self.must(HAPTIC, "export", log, "-o", "a.mat")
            mat = self.folder / "a.mat"
            head = mat.read_bytes()[:128]
            self.assertTrue(head.startswith(b"MATLAB 7.3 MAT-file") and head[124:] == b"\x00\x02IM", head)
            with h5py.File(log) as file, h5py.File(mat) as exported:
                force = file["samples/device_force_N"][:]
                numpy.testing.assert_array_equal(exported["log/device_force"][:].T, force)
                numpy.testing.assert_array_equal(exported["log/cycle"][0], file["samples/cycle"][:])
                self.assertEqual(exported["log/cycle"].attrs["MATLAB_class"], b"int64")
                self.assertEqual("".join(map(chr, exported["units/device_torque"][:, 0])), "N m")
                self.assertEqual(set(exported["log"]), set(exported["units"]))
            self.assertEqual(matio_column(mat, "device_force", len(force)), list(force[:, 1]))
            octave = run_if_there("octave", "--no-gui", "-q", "--eval",
                                  f"s = load('{mat}'); printf('%.17g ', s.log.device_force(:, 2));")
            if octave:
                self.assertEqual([float(v) for v in octave.split()], list(force[:, 1]))

    def test_rows_and_columns_are_chosen(self):
        log = self.logs["solids"]
        self.must(HAPTIC, "export", log, "-o", "b.csv", "--columns", "depth,bodies/pose[cube].y", "--fps", "25",
                  "--from", "0.2", "--until", "0.5")
        rows = list(csv.reader((self.folder / "b.csv").read_text().splitlines()))
        self.assertEqual(rows[0], ["time [s]", "gap.norm [m]", "bodies/pose[cube].y [m]"])
        numpy.testing.assert_allclose([float(row[0]) for row in rows[1:]], 0.2 + 0.04 * numpy.arange(8), atol=1e-12)
        with h5py.File(log) as file:
            gap = file["samples/manipulandum_position_m"][200] - file["samples/held_position_m"][200]
            # The norm is one rounding of hypot away from that of numpy.
            self.assertAlmostEqual(float(rows[1][1]), numpy.linalg.norm(gap), delta=1e-17)
        self.assertIn("device_force", self.must(HAPTIC, "export", log, "--list"))

    def test_what_cannot_be_written_is_one_line_and_leaves_the_old_file(self):
        log = self.logs["solids"]
        (self.folder / "old.csv").write_text("old")
        for code, line, arguments in (
                (2, "found the ending '.xls', expected one of csv", ("-o", "a.xls")),
                (2, "--format: found xls, expected one of csv", ("-o", "old.csv", "--format", "xls")),
                (2, "did you mean force?", ("-o", "old.csv", "--columns", "forse")),
                (2, "no row at 7 s or later", ("-o", "old.csv", "--from", "7")),
                (2, "one of this command's inputs", ("-o", str(log), "--format", "mat")),
                (2, "existing file that is not HDF5", ("-o", "old.csv", "--format", "mat")),
                (2, "-o: not given", ())):
            self.assertIn(line, self.refused(code, HAPTIC, "export", log, *arguments))
        cut = self.folder / "cut.h5"
        whole = log.read_bytes()
        for size in (0, 100, 5000, len(whole) // 2, len(whole) - 1):
            cut.write_bytes(whole[:size])
            for command in ("export", "plot"):
                output = "old.csv" if command == "export" else "x.png"
                done = run(HAPTIC, command, cut, "-o", output, cwd=self.folder)
                if done.returncode == 0:  # read to the cut
                    self.assertGreater(size, 5000)
                    self.assertGreater((self.folder / output).stat().st_size, 1000)
                    (self.folder / "old.csv").write_text("old")
                    continue
                self.assertIn(done.returncode, (1, 2), done.stderr)
                *warnings, line = done.stderr.splitlines()
                self.assertIn("cut.h5", line)
                self.assertTrue(all(w.startswith(f"haptic: warning: {cut}: ") for w in warnings), done.stderr)
        self.assertEqual((self.folder / "old.csv").read_text(), "old")
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])

    def test_a_full_disk_is_one_line_and_leaves_no_file(self):
        log = self.logs["solids"]
        for name in ("a.csv", "a.parquet", "a.mat"):
            (self.folder / name).unlink(missing_ok=True)
            # bash's limit is in KiB; the program gets EFBIG as it would get ENOSPC.
            done = run("bash", "-c", f"ulimit -f 64; trap '' XFSZ; exec '{HAPTIC}' export '{log}' -o {name}",
                       cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, rf"^haptic: .*{name}.*\n$")
            self.assertFalse((self.folder / name).exists())
        done = run("bash", "-c", f"ulimit -f 1; trap '' XFSZ; exec '{HAPTIC}' view --log '{log}' --frames film --fps 2",
                   cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertFalse((self.folder / "film").exists())
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])


BEAM_LOADS = """
dt_s = 0.002
steps = 20
[[load]]
near = [0.2, 0.0, 0.0]
force_N = [0.0, 0.0, -2.0]
"""


class Snapshots(ThreeWorlds):
    def test_an_xdmf_file_refers_to_the_snapshots_of_a_run(self):
        bake_beam(HAPTIC, self.folder, beam_recipe(16, 0.01, 4, 8, 100, 2))
        (self.folder / "loads.toml").write_text(BEAM_LOADS)
        self.must(HAPTIC, "simulate", "beam.h5", "--loads", "loads.toml", "--unreduced", "--save-every", "4",
                  "-o", "full.h5")
        self.must(HAPTIC, "export", "full.h5", "-o", "full.xmf", "--from", "0.005")
        root = xml.etree.ElementTree.parse(self.folder / "full.xmf").getroot()
        grids = root.findall("Domain/Grid/Grid")
        with h5py.File(self.folder / "full.h5") as log, h5py.File(self.folder / "beam.h5") as model:
            times = log["snapshots/time_s"][:]
            self.assertEqual([float(g.find("Time").get("Value")) for g in grids], list(times[times >= 0.005]))
            for grid in grids:
                self.assertEqual(grid.find("Topology").get("TopologyType"), "Hexahedron")
                elements = referred(self.folder, grid.find("Topology/DataItem"))
                numpy.testing.assert_array_equal(elements, model["mesh/elements"][:])
                vertices = referred(self.folder, grid.find("Geometry/DataItem"))
                numpy.testing.assert_array_equal(vertices, log["mesh/vertices"][:])
                slab = grid.find("Attribute/DataItem")
                (start, stride, count) = numpy.array(slab[0].text.split(), int).reshape(3, 2)
                self.assertEqual(list(stride), [1, 1])
                whole = referred(self.folder, slab[1])
                u = whole[start[0]:start[0] + count[0], start[1]:start[1] + count[1]]
                row = list(times).index(float(grid.find("Time").get("Value")))
                expected = log["snapshots/displacement_m"][row].reshape(-1, 3)
                numpy.testing.assert_array_equal(u.reshape(vertices.shape), expected)
                self.assertEqual(slab.get("Dimensions"), f"{len(vertices)} 3")
            self.assertGreater(abs(u).max(), 1e-4)
        self.assertIn("is no log of a run", self.refused(2, HAPTIC, "export", self.logs["cloth"], "-o", "a.xmf"))
        self.assertIn("no snapshot", self.refused(2, HAPTIC, "export", "full.h5", "-o", "a.xmf", "--from", "9"))
        self.expect_the_model_that_ran()

    def expect_the_model_that_ran(self):
        """Of full.h5: another model, and none, are refused, or taken with --any-model and said."""
        model = self.folder / "beam.h5"
        bake_beam(HAPTIC, self.folder, beam_recipe(16, 0.02, 4, 8, 100, 2))
        line = self.refused(2, HAPTIC, "export", "full.h5", "-o", "a.xmf")
        self.assertIn(f"full.h5: model: {model.resolve()} was changed since it ran, expected the model ", line)
        self.assertFalse((self.folder / "a.xmf").exists())
        done = run(HAPTIC, "export", "full.h5", "-o", "a.xmf", "--any-model", cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: full.h5: model: ", done.stderr)
        self.assertIn("Hexahedron", (self.folder / "a.xmf").read_text())
        model.unlink()
        self.assertIn("--any-model", self.refused(2, HAPTIC, "export", "full.h5", "-o", "b.xmf"))
        done = run(HAPTIC, "export", "full.h5", "-o", "b.xmf", "--any-model", cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("points without elements: ", done.stdout)
        self.assertIn("Polyvertex", (self.folder / "b.xmf").read_text())


def referred(folder, item):
    """The dataset that an XDMF data item names, after a check of its extents and type."""
    path, name = item.text.split(":")
    with h5py.File(folder / path) as file:
        values = file[name][:]
    assert item.get("Dimensions") == " ".join(map(str, values.shape)), name
    kinds = {"f": ("Float", "8"), "u": ("UInt", "4")}
    assert (item.get("NumberType"), item.get("Precision")) == kinds[values.dtype.kind]
    return values


class Variable(ctypes.Structure):
    """matvar_t of matio.h."""
    _fields_ = [("nbytes", ctypes.c_size_t), ("rank", ctypes.c_int), ("data_type", ctypes.c_int),
                ("data_size", ctypes.c_int), ("class_type", ctypes.c_int), ("flags", 3 * ctypes.c_int),
                ("dims", ctypes.POINTER(ctypes.c_size_t)), ("name", ctypes.c_char_p), ("data", ctypes.c_void_p)]


def matio_column(path, field, rows):
    """Second column of a field of the struct `log`, by libmatio, if it is there; else by h5py."""
    library = ctypes.util.find_library("matio")
    if library is None:
        with h5py.File(path) as file:
            return list(file[f"log/{field}"][1])
    matio = ctypes.CDLL(library)
    for function in (matio.Mat_Open, matio.Mat_VarRead, matio.Mat_VarGetStructFieldByName):
        function.restype = ctypes.c_void_p
    file = ctypes.c_void_p(matio.Mat_Open(str(path).encode(), 0))
    log = ctypes.c_void_p(matio.Mat_VarRead(file, b"log"))
    found = matio.Mat_VarGetStructFieldByName(log, field.encode(), ctypes.c_size_t(0))
    array = ctypes.cast(found, ctypes.POINTER(Variable)).contents
    assert (array.class_type, array.dims[0], array.dims[1]) == (6, rows, 3)  # MAT_C_DOUBLE
    values = ctypes.cast(array.data, ctypes.POINTER(ctypes.c_double))[rows:2 * rows]
    matio.Mat_VarFree(log)
    matio.Mat_Close(file)
    return values


def run_if_there(program, *arguments):
    try:
        # Debian 12's octave aborts at exit without a display, after its output.
        return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120).stdout
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    main()

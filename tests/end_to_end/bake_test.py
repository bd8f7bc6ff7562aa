#!/usr/bin/env python3
"""Bakes that are killed and continued, and bakes on several MPI ranks: the model is always the same.

Usage: bake_test.py HAPTIC [unittest arguments]; HAPTIC_MPIRUN names mpirun (default: from PATH).
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy

HAPTIC = str(pathlib.Path(sys.argv[1]).resolve())
KILLS = 20
SEED = 20261121

RECIPE = """
[source]
mesh = "beam.obj"
length = 0.2
[mesh]
resolution = 34
[material]
youngs_modulus = 4e4
poisson_ratio = 0.4
density = 1000.0
damping_ratios = [0.05, 0.10]
viscosity = [1.0, 2.0]
[[material.group]]
name = "tip"
youngs_modulus = 9e4
density = 1500.0
plane = { axis = "x", above = 0.15 }
[constraints]
planes = [{ axis = "x", below = 0.011 }]
[reduction]
linear_modes = 8
dimension = 16
[shell]
points = 4000
levels = 3
[field]
resolution = 32
"""


def bytes_apart_from_times(model):
    """The file's bytes with every measured number set to zero in place."""
    copy = model.with_suffix(".timeless")
    shutil.copy(model, copy)
    with h5py.File(copy, "r+") as file:
        attributes = file["provenance"].attrs
        for name in attributes:
            if name.startswith(("seconds_", "peak_bytes_")):
                attributes.modify(name, numpy.float64(0.0))
    return copy.read_bytes()


class Bakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-bakes-"))
        subprocess.run([HAPTIC, "mesh", "beam", "-o", "beam.obj"], cwd=cls.folder, check=True,
                       capture_output=True)
        (cls.folder / "beam.toml").write_text(RECIPE)
        start = time.monotonic()
        cls.bake("whole.h5", "--no-cache")
        cls.seconds = time.monotonic() - start
        cls.whole = bytes_apart_from_times(cls.folder / "whole.h5")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def command(cls, model, *options):
        return [HAPTIC, "bake", "beam.toml", "-o", model, "--json", *options]

    @classmethod
    def bake(cls, model, *options):
        done = subprocess.run(cls.command(model, *options), cwd=cls.folder, capture_output=True,
                              text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def names(self):
        return {path.name for path in self.folder.iterdir()}

    def kill_after(self, seconds, model):
        process = subprocess.Popen(self.command(model), cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def test_killed_at_random_moments_the_next_bake_completes_the_same_model(self):
        draw = random.Random(SEED)
        kept_at_all = 0
        for trial in range(KILLS):
            self.kill_after(draw.uniform(0.0, self.seconds), "killed.h5")
            summary = self.bake("killed.h5")
            kept_at_all += bool(summary["kept"])
            self.assertEqual(bytes_apart_from_times(self.folder / "killed.h5"), self.whole, trial)
            self.assertFalse([name for name in self.names() if ".tmp" in name])
            (self.folder / "killed.h5").unlink()
            shutil.rmtree(self.folder / "killed.bake")
        # Most moments come after the first stage, unless the machine became slower since the bake was timed.
        self.assertGreater(kept_at_all, KILLS // 8)

    def test_a_bake_killed_repeatedly_makes_progress(self):
        draw = random.Random(SEED + 1)
        cache = self.folder / "often.bake"
        done = 0
        for _ in range(KILLS):
            self.kill_after(draw.uniform(0.1, 0.5) * self.seconds, "often.h5")
            now = len(list(cache.glob("*.stage"))) if cache.exists() else 0
            self.assertGreaterEqual(now, done)
            done = now
        self.bake("often.h5")
        self.assertEqual(bytes_apart_from_times(self.folder / "often.h5"), self.whole)

    def test_two_bakes_of_one_cache_and_the_cache_of_another_recipe(self):
        self.bake("mine.h5")
        lock = open(self.folder / "mine.bake" / "lock", "r+")
        import fcntl
        fcntl.lockf(lock, fcntl.LOCK_EX)
        done = subprocess.run(self.command("mine.h5"), cwd=self.folder, capture_output=True, text=True)
        lock.close()
        self.assertEqual(done.returncode, 1)
        self.assertIn("another bake is using it", done.stderr)
        (self.folder / "other.toml").write_text(RECIPE)
        before = sorted((p.name, p.read_bytes()) for p in (self.folder / "mine.bake").iterdir())
        done = subprocess.run([HAPTIC, "bake", "other.toml", "-o", "mine.h5", "--cache", "mine.bake"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("another recipe", done.stderr)
        after = sorted((p.name, p.read_bytes()) for p in (self.folder / "mine.bake").iterdir())
        self.assertEqual(before, after)
        # The default folder may be taken over from another recipe.
        done = subprocess.run([HAPTIC, "bake", "other.toml", "-o", "mine.h5"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(bytes_apart_from_times(self.folder / "mine.h5"), self.whole)


MPIRUN = os.environ.get("HAPTIC_MPIRUN") or shutil.which("mpirun")


@unittest.skipUnless(MPIRUN, "mpirun is not installed")
class Ranks(Bakes):
    """The bakes above are Bakes' own; here are only those of several ranks."""
    test_killed_at_random_moments_the_next_bake_completes_the_same_model = None
    test_a_bake_killed_repeatedly_makes_progress = None
    test_two_bakes_of_one_cache_and_the_cache_of_another_recipe = None

    def mpirun(self, ranks, *command, **options):
        # Open MPI does not free all its memory; leaks are checked in the bakes without it.
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", OMPI_ALLOW_RUN_AS_ROOT="1",
                           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="^tcp")
        # As Open MPI 4 and 5 both understand it; -q is no longer accepted by 5.
        return subprocess.Popen([MPIRUN, "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none", "-n", str(ranks), *command],
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment, **options)

    def finish(self, process):
        out, error = process.communicate(timeout=300)
        return process.returncode, out, error

    def finish_without_ranks(self, job):
        """Of a job that lost a rank: the others end, then its launcher, which may wait for ever for a lock of its own
        (PMIx_server_finalize in Open MPI 4.1)."""
        give_up = time.monotonic() + 300
        while job.poll() is None and children(job.pid):  # an ended one has no command line
            self.assertLess(time.monotonic(), give_up, "a rank does not end")
            time.sleep(0.1)
        try:
            out, error = job.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            job.kill()
            out, error = job.communicate()
        return job.returncode, out, error

    def test_T15_1_2_and_4_ranks_agree(self):
        for ranks in (1, 2, 4):
            code, out, error = self.finish(
                self.mpirun(ranks, *self.command("ranks.h5", "--no-cache")))
            if "built without MPI" in error:
                self.skipTest("haptic was built without MPI")
            self.assertEqual(code, 0, error)
            self.assertEqual(json.loads(out)["dimension"], 16)
            # The requirement is 1e-12; parts and their order do not depend on the ranks, so it is 0.
            self.assertEqual(bytes_apart_from_times(self.folder / "ranks.h5"), self.whole, ranks)

    def test_ranks_keep_and_use_the_same_results(self):
        code, _, error = self.finish(self.mpirun(2, *self.command("mixed.h5")))
        if "built without MPI" in error:
            self.skipTest("haptic was built without MPI")
        self.assertEqual(code, 0, error)
        for lost in ("derivatives", "polynomials", "field"):
            (self.folder / "mixed.bake" / f"{lost}.stage").unlink()
        summary = self.bake("mixed.h5")
        self.assertIn("modes", summary["kept"])
        self.assertNotIn("field", summary["kept"])
        self.assertEqual(bytes_apart_from_times(self.folder / "mixed.h5"), self.whole)

    def run_haptic(self, *arguments):
        return subprocess.run([HAPTIC, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def test_a_condensed_body_is_the_same_on_two_ranks_and_is_verified(self):
        recipe = RECIPE.partition("[reduction]")[0].replace("resolution = 34", "resolution = 16")
        recipe = recipe.replace("viscosity = [1.0, 2.0]\n", "") + "[condensed]\nmodes = 6\n"
        (self.folder / "condensed.toml").write_text(recipe)
        done = self.run_haptic("bake", "condensed.toml", "-o", "condensed.h5", "--no-cache", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual((summary["dimension"], summary["condensed_modes"]), (0, 6))
        self.assertLess(summary["compliance_rounding"], 2.0**-24)
        self.assertIn("compliance", summary["seconds"])
        inspected = json.loads(self.run_haptic("inspect", "condensed.h5", "--json").stdout)
        dof = summary["condensed_dof"]
        shapes = {section["name"]: section["shape"] for section in inspected["sections"]}
        self.assertEqual(shapes["/condensed/compliance/single"], [dof, dof])
        self.assertEqual(shapes["/condensed/modes"], [dof, 6])
        self.assertEqual(inspected["attributes"]["/condensed.rounding"], summary["compliance_rounding"])
        with h5py.File(self.folder / "condensed.h5") as file:
            compliance = file["condensed/compliance/single"][:]
            self.assertTrue((compliance == compliance.T).all())
        verified = self.run_haptic("verify", "condensed.h5", "--json")
        self.assertEqual(verified.returncode, 0, verified.stdout)
        self.assertIn("compliance_sum", verified.stdout)
        code, _, error = self.finish(
            self.mpirun(2, HAPTIC, "bake", "condensed.toml", "-o", "ranks2.h5", "--no-cache", "--json"))
        if "built without MPI" not in error:
            self.assertEqual(code, 0, error)
            self.assertEqual(bytes_apart_from_times(self.folder / "ranks2.h5"),
                             bytes_apart_from_times(self.folder / "condensed.h5"))

    def test_a_refusal_is_one_line_and_exit_2(self):
        (self.folder / "bad.toml").write_text(RECIPE.replace("0.011", "9.0"))
        code, _, error = self.finish(self.mpirun(3, HAPTIC, "bake", "bad.toml", "-o", "bad.h5"))
        if "built without MPI" in error:
            self.skipTest("haptic was built without MPI")
        own = [line for line in error.split("\n") if line.startswith("haptic: ")]
        self.assertEqual((code, len(own)), (2, 1), error)
        self.assertIn("bad.toml: constraints", own[0])
        self.assertNotIn("bad.h5", self.names())

    def test_a_rank_that_dies_ends_the_job(self):
        draw = random.Random(SEED + 2)
        killed = 0
        for victim in (1, 0, 1):
            (self.folder / "dead.h5").unlink(missing_ok=True)
            job = self.mpirun(2, *self.command("dead.h5"))
            deadline = time.monotonic() + 60
            pids = []
            while len(pids) < 2 and time.monotonic() < deadline and job.poll() is None:
                pids = children(job.pid)
            time.sleep(draw.uniform(0.2, 0.6) * self.seconds)
            if len(pids) == 2 and job.poll() is None:
                os.kill(pids[victim], signal.SIGKILL)
                code, _, error = self.finish_without_ranks(job)
                killed += 1
                self.assertNotEqual(code, 0)
                self.assertNotIn("Traceback", error)
                # No file or a complete one: on a slow machine it may have been written before the kill.
                if "dead.h5" in self.names():
                    self.assertEqual(bytes_apart_from_times(self.folder / "dead.h5"), self.whole)
            else:
                _, _, error = self.finish(job)
                if "built without MPI" in error:
                    self.skipTest("haptic was built without MPI")
        self.assertGreater(killed, 0)
        summary = self.bake("dead.h5")
        self.assertEqual(summary["dimension"], 16)
        self.assertEqual(bytes_apart_from_times(self.folder / "dead.h5"), self.whole)
        self.assertFalse([name for name in self.names() if ".tmp" in name])


def children(pid):
    """Processes of our tool under `pid`, by age."""
    listed = subprocess.run(["pgrep", "-P", str(pid), "-f", HAPTIC], capture_output=True, text=True)
    return [int(p) for p in listed.stdout.split()]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

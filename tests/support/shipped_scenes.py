"""Scenes of a folder of `scenes/` as a user runs them: baked in a folder of their own, simulated, in a daemon.

The test program's first two arguments are the paths of haptic and hapticd.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from programs import check_loop, run

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
# A machine that is busy with other tests must not end in a fault of the schedule: all slots of a minute may be late.
PATIENT = "[limits]\noverload_slots = 100000\noverload_fraction = 1.0\noverload_window_s = 60.0\n"


class ShippedScenes(unittest.TestCase):
    name = None  # of the folder in scenes/
    scenes = ()  # names of its scenes

    @classmethod
    def setUpClass(cls):
        cls.parent = pathlib.Path(tempfile.mkdtemp(prefix=f"haptic-{cls.name}-"))
        cls.folder = cls.parent / cls.name
        made = shutil.ignore_patterns("*.h5", "*.obj", "*.bake", "*.csv")
        shutil.copytree(SCENES / cls.name, cls.folder, ignore=made)
        for file in SCENES.glob("*.*"):
            shutil.copy(file, cls.parent)
        # make_hands.py writes the scripts of all scenes.
        for scene in SCENES.iterdir():
            if scene.is_dir():
                (cls.parent / scene.name).mkdir(exist_ok=True)
        done = run(cls.parent / "bake.sh", HAPTIC, cls.name)
        assert done.returncode == 0, done.stderr
        for scene in cls.scenes:
            file = cls.folder / f"{scene}.toml"
            file.write_text(file.read_text() + PATIENT)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.parent)

    def must(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def daemon(self, scene, name, *options):
        process = subprocess.Popen(
            [HAPTICD, "--scene", scene, "--name", name, *options], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()) if process.poll() is None else None)
        for _ in range(600):
            status = run(HAPTIC, "status", "--json", "--name", name)
            if status.returncode == 0 and json.loads(status.stdout)["cycles"] > 0:
                return process
            if process.poll() is not None:
                break
            time.sleep(0.05)
        self.fail(f"the daemon did not start: {process.communicate()[1]}")

    def ended(self, process):
        """The daemon's last table, after its cycles without an allocation and a page fault in the loop."""
        table, said = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, said)
        check_loop(self, table)
        return table

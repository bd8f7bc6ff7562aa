"""Logs of one second of each kind of world, for the tests of what looks at logs.

The test program's first argument is the path of haptic.
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

from programs import run

HAPTIC = str(pathlib.Path(sys.argv[1]).resolve())
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
# Kind of world, folder and scene, seconds.
WORLDS = (("solids", "jelly", "scene", 1.2), ("condensed", "condensed", "cube_scene", 1.0),
          ("cloth", "cloth", "soft_scene", 0.5))
SKIPPED = 77  # CTest's SKIP_RETURN_CODE


class ThreeWorlds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Once for all classes of a program."""
        if hasattr(ThreeWorlds, "folder"):
            return
        ThreeWorlds.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-worlds-"))
        unittest.addModuleCleanup(shutil.rmtree, cls.folder)
        made = shutil.ignore_patterns("*.h5", "*.obj", "*.bake", "*.csv")
        shutil.copytree(SCENES, cls.folder / "scenes", ignore=made)
        ThreeWorlds.logs = {}
        for kind, folder, scene, seconds in WORLDS:
            done = run(cls.folder / "scenes" / "bake.sh", HAPTIC, folder)
            assert done.returncode == 0, (done.returncode, done.stderr)
            log = cls.folder / f"{kind}.h5"
            done = run(HAPTIC, "simulate", cls.folder / "scenes" / folder / f"{scene}.toml", "-o", log, "--seconds",
                       str(seconds))
            assert done.returncode == 0, (done.returncode, done.stderr)
            cls.logs[kind] = log

    def must(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def refused(self, code, *arguments):
        """@returns the one line of a command that must fail with this exit code"""
        done = run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def each_world(self):
        """@returns pairs (kind of world, log)"""
        return self.logs.items()


def main():
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

#!/usr/bin/env python3
"""What CMake requires: nothing that only tests need without them, and no -Werror outside the presets.

Usage: configure_test.py SOURCE_TREE CMAKE [unittest arguments]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TREE, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2]
ONLY_FOR_TESTS = ("GTest", "rapidcheck", "benchmark")


class Configure(unittest.TestCase):
    def flags(self, *options):
        """Compiler commands of a configured build."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([CMAKE, "-S", TREE, "-B", folder, *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [entry["command"] for entry in json.loads((pathlib.Path(folder) / "compile_commands.json").read_text())]

    def test_without_tests_their_packages_are_not_needed(self):
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ONLY_FOR_TESTS]
        commands = self.flags("-DBUILD_TESTING=OFF", *hidden)
        self.assertEqual([line for line in commands if "gtest" in line or "rapidcheck" in line], [])
        self.assertEqual([line for line in commands if "-Werror" in line], [])

    def test_experiments_and_benchmarks_need_no_tests(self):
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ONLY_FOR_TESTS if package != "benchmark"]
        commands = self.flags("-DBUILD_TESTING=OFF", "-DHAPTIC_BENCH=ON", *hidden)
        self.assertTrue([line for line in commands if "/lab/experiments/" in line])
        self.assertEqual([line for line in commands if "gtest" in line or "rapidcheck" in line], [])

    def test_warnings_are_errors_in_every_preset(self):
        presets = json.loads((TREE / "CMakePresets.json").read_text())["configurePresets"]
        for name in (preset["name"] for preset in presets if not preset.get("hidden")):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([CMAKE, "--preset", name, "-N", "-B", folder], cwd=TREE,
                                      capture_output=True, text=True)
                self.assertIn('HAPTIC_WERROR="ON"', done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

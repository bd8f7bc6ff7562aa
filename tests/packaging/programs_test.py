#!/usr/bin/env python3
"""haptic and its helper haptic-bake: linked libraries, commands, and how haptic executes the helper.

Usage: programs_test.py HAPTIC HAPTIC_BAKE [unittest arguments]
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HAPTIC, HELPER = sys.argv[1:3]
# What a lab PC must not need; libopen-rte and libopen-pal are parts of OpenMPI.
BANNED = re.compile(r"libmpi|libopen-rte|libopen-pal|openvdb|embree|libtbb")
MISSING = "haptic: {}: the program haptic-bake is missing; install the Debian package haptic-bake\n"
# Replaces the helper: prints its arguments, environment and input.
ECHO = """#!/bin/sh
printf '[%s]' "$@" "$HAPTIC_TEST"
[ -t 0 ] || cat
exit 7
"""


def run(*arguments, **options):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=60, **options)


def commands(program):
    """{command: description} as --help lists them."""
    text = run(program, "--help").stdout.split("\nExamples:")[0]
    text = re.sub(r"\n {20,}", " ", text)  # a long description goes on in the next line
    return dict(re.findall(r"^  ([a-z]\S*) +(.*)$", text, re.M))


class Libraries(unittest.TestCase):
    def libraries(self, program):
        done = run("ldd", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("libc.so.6", done.stdout)
        return [line.split()[0] for line in done.stdout.splitlines()]

    def test_haptic_needs_no_mpi_openvdb_embree_tbb(self):
        self.assertEqual([name for name in self.libraries(HAPTIC) if BANNED.search(name)], [])

    def test_the_helper_needs_no_device_and_no_graphics(self):
        found = [name for name in self.libraries(HELPER) if re.search(r"comedi|libusb|epoxy|libpng", name)]
        self.assertEqual(found, [])
        self.assertTrue([name for name in self.libraries(HELPER) if BANNED.search(name)])


class Commands(unittest.TestCase):
    def test_the_helper_has_the_commands_that_haptic_forwards_with_the_same_words(self):
        listed, helper = commands(HAPTIC), commands(HELPER)
        self.assertEqual(set(helper), {"bake", "convert", "verify", "mesh", "sketch", "simulate", "inspect"})
        for command, description in helper.items():
            self.assertEqual(listed[command], description)
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(HAPTIC, folder)
            forwarded = {name for name in listed if run(alone, name, "--help").stderr == MISSING.format(name)}
        self.assertEqual(forwarded, set(helper) - {"simulate", "inspect"})

    def test_help_of_a_forwarded_command_is_that_of_the_helper(self):
        for command in set(commands(HELPER)) - {"simulate"}:
            help_text = run(HAPTIC, command, "--help")
            self.assertEqual(help_text.returncode, 0, help_text.stderr)
            self.assertIn(f"haptic {command} [OPTIONS]", help_text.stdout)
            self.assertEqual(help_text.stdout, run(HELPER, command, "--help").stdout)


class Alone(unittest.TestCase):
    """haptic in a folder without its helper, or with another file in its place."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        self.haptic = shutil.copy(HAPTIC, self.folder / "bin/haptic")

    def helper(self, place, text=ECHO):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def missing(self, *arguments, command="bake", **options):
        done = run(self.haptic, *arguments, cwd=self.folder, **options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", MISSING.format(command)))

    def test_a_missing_helper_is_named_with_its_package(self):
        self.missing("bake", "x")
        self.missing("bake")
        self.missing("sketch", "--help", command="sketch")
        self.missing("simulate", "x.h5", "--loads", "x.toml", "-o", "log.h5", command="simulate --loads")

    def test_all_commands_are_listed_without_it(self):
        self.assertEqual(run(self.haptic, "--help").stdout, run(HAPTIC, "--help").stdout)

    def test_neither_path_nor_the_working_directory_is_searched(self):
        self.helper("haptic-bake")
        self.helper("path/haptic-bake")
        self.missing("bake", "x", env=dict(os.environ, PATH=f"{self.folder / 'path'}:.:{os.environ['PATH']}"))

    def test_arguments_environment_input_and_exit_code_pass_through(self):
        for place in ("bin/haptic-bake", "libexec/hapticd/haptic-bake"):
            helper = self.helper(place)
            words = ["bake", "a b", "", "-o", "--", "new\nline", "--version", "status", "--help"]
            done = run(self.haptic, *words, cwd=self.folder, input="typed", env=dict(os.environ, HAPTIC_TEST="here"))
            self.assertEqual((done.returncode, done.stderr), (7, ""))
            self.assertEqual(done.stdout, "".join(f"[{word}]" for word in [*words, "here"]) + "typed")
            helper.unlink()

    def test_a_link_to_haptic_finds_it(self):
        self.helper("libexec/hapticd/haptic-bake")
        (self.folder / "link").symlink_to(self.haptic)
        self.assertEqual(run(self.folder / "link", "bake", "x", input="").stdout, "[bake][x][]")

    def test_signals_reach_the_helper_and_its_end_is_that_of_haptic(self):
        self.helper("bin/haptic-bake", "#!/bin/sh\necho ready\nexec sleep 60\n")
        process = subprocess.Popen([self.haptic, "bake", "x"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), -signal.SIGTERM)
        process.stdout.close()

    def test_a_helper_that_cannot_be_started_is_named(self):
        path = self.helper("bin/haptic-bake", "not a program")
        path.chmod(0o644)
        done = run(self.haptic, "bake", "x")
        self.assertEqual((done.returncode, done.stderr), (1, f"haptic: {path}: Permission denied\n"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

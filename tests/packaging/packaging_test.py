#!/usr/bin/env python3
"""Manual pages, completion, units and rules against the programs they describe.

Usage: packaging_test.py SOURCE_TREE HAPTIC HAPTICD HAPTICD_GUARD HAPTIC_REFERENCE VERSION [unittest arguments]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(sys.argv[1])
HAPTIC, HAPTICD, GUARD, REFERENCE, VERSION = sys.argv[2:7]
HAPLY = str(pathlib.Path(HAPTIC).resolve().parents[1] / "haply/haptic-haply")


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def options(program, *command):
    """Options and subcommands that --help lists."""
    names, commands = set(), []
    section = ""
    for line in run(program, *command, "--help").splitlines():
        if re.match(r"^\w.*:$", line):
            section = line
        match = re.match(r"^  (--?[\w-]+(?:, --?[\w-]+)*)", line)
        if match:
            names |= set(match.group(1).split(", "))
        match = re.match(r"^  (\w+)\s", line)
        if match and section not in ("Arguments:", "Options:", "Examples:"):
            commands.append(match.group(1))
    return names, commands


def tree(path=()):
    """(command, options) of every command that has no subcommands."""
    names, below = options(HAPTIC, *path)
    if not below:
        return [(" ".join(path), names)]
    return [pair for command in below for pair in tree((*path, command))]


def plain(roff):
    return re.sub(r"\\f[BIR]", "", roff).replace(r"\-", "-")


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.folder.name) / "haptic.1"
        run(REFERENCE, "manual", TREE / "docs/man/haptic.1.in", cls.page)
        cls.script = pathlib.Path(cls.folder.name) / "haptic.bash"
        run(REFERENCE, "completion", cls.script)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_command_and_option_is_in_the_page(self):
        sections = {}
        for part in plain(self.page.read_text()).split("\n.SS ")[1:]:
            title, text = part.split("\n", 1)
            sections[title] = text.split("\n.SH ")[0]
        commands = tree()
        self.assertGreater(len(commands), 20)
        self.assertEqual(set(sections), {command for command, _ in commands})
        for command, names in commands:
            listed = set()
            for entry in re.findall(r"^\.TP\n(.*)$", sections[command], re.M):
                listed |= {word for word in re.split(r"[ ,]+", entry) if word.startswith("-")}
            self.assertEqual(listed, names - {"-h", "--help"}, command)

    def test_programs_pages_have_their_options_and_no_others(self):
        for program, page in ((HAPTICD, "hapticd.8"), (GUARD, "hapticd-guard.8"), (HAPLY, "haptic-haply.1")):
            text = plain((TREE / "docs/man" / page).read_text())
            listed = set()
            for entry in re.findall(r"^\.TP\n(-.*)$", text, re.M):
                listed |= {word for word in re.split(r"[ ,]+", entry) if word.startswith("-")}
            self.assertEqual(listed, options(program)[0], page)

    def test_pages_format_without_warnings(self):
        if not shutil.which("groff"):
            self.skipTest("no groff")
        for page in (self.page, TREE / "docs/man/hapticd.8", TREE / "docs/man/hapticd-guard.8",
                     TREE / "docs/man/haptic-haply.1"):
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""), page)

    def complete(self, *words):
        line = f"source {self.script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _haptic; " \
               'echo "${COMPREPLY[@]}"'
        return set(run("bash", "-c", line).split())

    def test_bash_completes_commands_and_options(self):
        self.assertEqual(self.complete("haptic", "st"), {"status", "stop"})
        self.assertEqual(self.complete("haptic", "probe", "f"), {"force"})
        self.assertEqual(self.complete("haptic", "status", "--j"), {"--json"})
        self.assertEqual(self.complete("haptic", "bake", "recipe.toml", "--out"), {"--output"})
        # For the value of an option and for words that are no command bash completes file names.
        self.assertEqual(self.complete("haptic", "bake", "-o", "b"), set())
        self.assertEqual(self.complete("haptic", "bake", "rec"), set())
        for command, names in tree():
            self.assertEqual(self.complete("haptic", *command.split(), "-"), names, command)

    def test_bash_completes_the_keys_of_explain(self):
        self.assertEqual(self.complete("haptic", "explain", "rate_"), {"rate_hz"})
        self.assertIn("stiffness", self.complete("haptic", "explain", ""))
        # Paths once there is a dot.
        self.assertTrue({"contact", "contact_nodes"} <= self.complete("haptic", "explain", "contac"))
        self.assertEqual(self.complete("haptic", "explain", "contact.stif"), {"contact.stiffness"})
        self.assertIn("contact.friction.static", self.complete("haptic", "explain", "contact."))
        self.assertEqual(self.complete("haptic", "explain", "scene.coupling.rot"),
                         {"scene.coupling.rotational_stiffness"})
        self.assertEqual(self.complete("haptic", "explain", "contact.--json"), set())
        # Every word that is offered is one that the command explains.
        words = self.complete("haptic", "explain", "") | self.complete("haptic", "explain", "recipe.")
        self.assertGreater(len(words), 200)
        for word in sorted(words - {"--json", "--json-schema", "--help", "-h"})[::10]:
            self.assertTrue(run(HAPTIC, "explain", word), word)
        # Other commands do not offer them.
        self.assertEqual(self.complete("haptic", "plot", "rate_"), set())


class DaemonOptions(unittest.TestCase):
    def test_a_number_of_cycles_that_is_no_such_number_is_refused(self):
        for word in ("-5", "0", "1e3", "99999999999999999999", "x"):
            result = subprocess.run([HAPTICD, "--scene", "none.toml", "--cycles", word], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr),
                             (2, f"hapticd: --cycles: found {word}, expected a whole number above 0\n"))


class Service(unittest.TestCase):
    def test_exposure_is_at_most_2_5(self):
        analyze = shutil.which("systemd-analyze")
        if not analyze:
            self.skipTest("no systemd-analyze")
        for unit in ("hapticd.service", "hapticd-guard.service"):
            result = subprocess.run([analyze, "security", "--offline=yes", "--threshold=25", TREE / "systemd" / unit],
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stdout.splitlines()[-1:])

    def test_no_rule_opens_a_device_to_everybody(self):
        rules = (TREE / "udev/60-hapticd.rules").read_text()
        modes = re.findall(r'MODE="(\d+)"', rules)
        self.assertEqual(len(modes), 3)
        for mode in modes:
            self.assertEqual(mode, "0660")
        self.assertEqual(rules.count("GROUP="), len(modes))
        self.assertNotIn('+="uaccess"', rules)

    def test_groups_of_units_and_rules_are_created(self):
        created = set(re.findall(r"^[gu] (\S+)", (TREE / "systemd/sysusers.conf").read_text(), re.M))
        wanted = set(re.findall(r'GROUP="([\w-]+)"', (TREE / "udev/60-hapticd.rules").read_text()))
        for unit in ("hapticd", "hapticd-guard"):
            text = (TREE / f"systemd/{unit}.service").read_text()
            for line in re.findall(r"^(?:User|Group|SupplementaryGroups)=(.*)$", text, re.M):
                wanted |= set(line.split())
        self.assertLessEqual(wanted, created)
        self.assertIn("haptic-operator", wanted)

    def test_drivers_of_the_device_list_are_loaded_first(self):
        unit = (TREE / "systemd/hapticd.service").read_text()
        modules = (TREE / "systemd/modules-load.conf").read_text().split()
        self.assertEqual(set(re.findall(r"^DeviceAllow=char-(\w+)", unit, re.M)), {"usb_device", "comedi"})
        self.assertLessEqual({"comedi", "usbcore"}, set(modules))

    def test_commands_of_the_units_are_options_of_the_programs(self):
        known = {"/usr/bin/hapticd": options(HAPTICD)[0], "/usr/bin/hapticd-guard": options(GUARD)[0]}
        for unit in ("hapticd", "hapticd-guard"):
            text = (TREE / f"systemd/{unit}.service").read_text()
            for line in re.findall(r"^Exec\w+=\+?(.*)$", text, re.M):
                program, *words = line.split()
                if program == "/bin/kill":  # the system's own
                    self.assertEqual(words, ["-HUP", "$MAINPID"])
                    continue
                self.assertLessEqual({w for w in words if w.startswith("--")}, known[program], line)

    def test_the_shipped_scene_and_device_are_valid(self):
        run(HAPTICD, "--check", "--scene", TREE / "packaging/scene.toml", "--device", "simulated")
        device = re.search(r"^HAPTICD_DEVICE=(.*)$", (TREE / "packaging/hapticd.env").read_text(), re.M).group(1)
        manifest = TREE / f"firmware-config/{device}.toml"
        run(HAPTICD, "--check", "--scene", TREE / "packaging/scene.toml", "--device", manifest)
        run(GUARD, "--safe-outputs-now", "--manifest", manifest)

    def test_the_changelog_begins_with_this_version(self):
        self.assertTrue((TREE / "packaging/changelog").read_text().startswith(f"hapticd ({VERSION}-"))

    def test_the_citation_and_the_changelog_have_this_version(self):
        self.assertIn(f"\nversion: {VERSION}\n", (TREE / "CITATION.cff").read_text())
        self.assertIn(f"\n## [{VERSION}] - ", (TREE / "CHANGELOG.md").read_text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])

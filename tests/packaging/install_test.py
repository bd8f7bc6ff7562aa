#!/usr/bin/env python3
"""The packages installed, upgraded, removed, purged, each in a Debian with its declared dependencies only.

Usage: install_test.py FOLDER_OF_PACKAGES [SUITE] [unittest arguments], as root. `./dev package --check` runs it.
SUITE is the release that the packages were built on (default: this machine's): bookworm, trixie.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from debian_root import DebianRoot, enter_mount_namespace, field  # noqa: E402
from programs import TWO_SPHERES  # noqa: E402

PACKAGES = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out/packages").resolve()
SUITES = ("bookworm", "trixie")
CACHE = PACKAGES.parent / "packaging"
PROGRAM = r"/usr/(bin|libexec/hapticd)/."
SCRIPT = r"/usr/share/doc/.*/examples/.*\.sh$"
SCENE = """rate_hz = 1000
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
[coupling]
stiffness = 200.0
rotational_stiffness = 0.1
"""


def suite_and_arguments():
    """The release to install in, and the arguments for unittest."""
    if len(sys.argv) > 2 and sys.argv[2] in SUITES:
        return sys.argv[2], sys.argv[3:]
    here = re.search(r"^VERSION_CODENAME=(\w+)$", pathlib.Path("/etc/os-release").read_text(), re.M)
    if not here or here[1] not in SUITES:
        sys.exit(f"install_test: this machine is not one of {', '.join(SUITES)}; name the SUITE of the packages")
    return here[1], sys.argv[2:]


def package_file(name):
    found = sorted(PACKAGES.glob(f"{name}_*_amd64.deb"))
    if len(found) != 1:
        sys.exit(f"install_test: {PACKAGES} has {len(found)} packages {name}_*.deb; run ./dev package first")
    return found[0]


def next_version(package, folder, changes=()):
    """The same package as its successor; `changes` are (file, old, new) in its content."""
    name = f"{field(package, 'Package')}_next"
    tree = pathlib.Path(folder) / name
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^(Version: .*)$", r"\1+next", control.read_text()))
    for file, old, new in changes:
        text = (tree / file).read_text()
        assert old in text, f"{file} has no '{old}'"
        (tree / file).write_text(text.replace(old, new))
    result = pathlib.Path(folder) / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, result], check=True, capture_output=True)
    return result


class Installed(unittest.TestCase):
    """One root for the cases of a package; each begins with the package freshly installed."""
    name = ""
    needs = ()  # packages of this tree that it depends on; they are in the root from the start

    @classmethod
    def setUpClass(cls):
        cls.package = package_file(cls.name)
        others = [package_file(name) for name in cls.needs]
        depends = [entry.strip() for package in (cls.package, *others)
                   for entry in field(package, "Depends").split(",")]
        cls.root = DebianRoot(CACHE, suite_and_arguments()[0], ", ".join(
            entry for entry in dict.fromkeys(depends) if entry.split()[0] not in cls.needs))
        if others:
            cls.root.install(*others)

    @classmethod
    def tearDownClass(cls):
        cls.root.close()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.before = self.root.snapshot()
        self.root.install(self.package)

    def tearDown(self):
        self.folder.cleanup()
        self.root.run("dpkg", "--purge", self.name)

    def added(self):
        """Paths that were not there before the installation."""
        return set(self.root.snapshot()) - set(self.before)

    def changed(self):
        """Earlier paths that are missing or differ."""
        now = self.root.snapshot()
        return {path for path, what in self.before.items() if now.get(path) != what}

    def check_declared_libraries(self):
        """Every library that a program links is found and comes from a package in `Depends`."""
        declared = set(re.findall(r"(?:^|[,|]\s*)([a-z0-9.+-]+)", field(self.package, "Depends")))
        programs = [path for path in self.root.listed(self.name) if re.match(PROGRAM, path)]
        self.assertTrue(programs)
        for program in programs:
            self.assertNotIn("not found", self.root.run("ldd", program))
            dynamic = subprocess.run(["readelf", "-d", f"{self.root.path}{program}"], check=True, capture_output=True,
                                     text=True).stdout
            self.assertNotRegex(dynamic, "R(UN)?PATH")
            needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
            self.assertIn("libc.so.6", needed)
            for library in needed:
                owners = set(re.findall(r"^([a-z0-9.+-]+)(?=:)", self.root.run("dpkg", "-S", f"*/{library}"), re.M))
                self.assertTrue(owners & declared, f"{program} needs {library} of {owners}, which Depends does not name")

    def check_files(self, others=()):
        """Installed is what dpkg lists and `others`; owned by root, writable only by root."""
        listed = self.root.listed(self.name)
        missing = {path for path in listed if not self.root.exists(path)}
        self.assertEqual(missing, set())
        # Which unit was enabled is kept by init-system-helpers.
        unlisted = {path for path in self.added() - listed if not path.startswith("/var/lib/systemd/deb-systemd-helper")}
        self.assertEqual(unlisted, set(others))
        self.assertEqual(self.changed(), set())
        for path in sorted(listed & self.added()):
            folder = (self.root.path / path.lstrip("/")).is_dir()
            mode = "755" if folder or re.match(f"{PROGRAM}|{SCRIPT}", path) else "644"
            self.assertEqual(self.root.owner_and_mode(path), f"root root {mode}", path)
        self.assertIn("/usr/share/doc/" + self.name + "/copyright", listed)

    def check_refused_on_an_older_processor(self):
        self.root.run("dpkg", "--purge", self.name)
        older = pathlib.Path(self.folder.name) / "cpuinfo"
        older.write_text(re.sub(r"\bavx2\b ?", "", pathlib.Path("/proc/cpuinfo").read_text()))
        cpuinfo = self.root.path / "proc/cpuinfo"
        subprocess.run(["mount", "--bind", older, cpuinfo], check=True)
        try:
            result = self.root.attempt("dpkg", "-i", f"/tmp/{self.package.name}")
        finally:
            subprocess.run(["umount", cpuinfo], check=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.name}: this processor lacks avx2", result.stderr)
        self.assertEqual(self.root.status(self.name), "not-installed")
        self.assertEqual(self.added(), set())


class Daemon(Installed):
    name = "hapticd"
    conffiles = {"/etc/hapticd/hapticd.env", "/etc/hapticd/scene.toml"}
    # Files of the user and their content.
    own = {"/etc/hapticd/devices/our-arm.toml": "# our arm\n", "/var/lib/hapticd/spoon.h5": "model\n",
           "/var/lib/hapticd/falcon.calibration.toml": "offset = 1\n"}

    def use(self):
        """Files of a lab in use: edited configuration, manifest, model, calibration, fault record."""
        edited = self.root.read("/etc/hapticd/hapticd.env").replace("HAPTICD_OPTIONS=", "HAPTICD_OPTIONS=--cpu 3")
        self.assertIn("--cpu 3", edited)
        self.root.write("/etc/hapticd/hapticd.env", edited)
        for path, text in self.own.items():
            self.root.write(path, text)
        self.root.write("/var/log/hapticd/fault.h5", "fault record\n")
        self.root.write("/run/hapticd/hapticd.telemetry", "of a daemon that was killed\n")
        self.addCleanup(lambda: [self.root.run("rm", "-rf", folder) for folder in ("/etc/hapticd", "/var/lib/hapticd")])
        return edited

    def check_own_files(self):
        for path, text in self.own.items():
            self.assertEqual(self.root.read(path), text)

    def test_files_owners_and_modes(self):
        self.check_files(others={"/var/lib/hapticd"})
        for path, expected in {"/var/lib/hapticd": "root haptic-operator 2775",
                               "/run/hapticd": "hapticd haptic 755"}.items():
            self.assertEqual(self.root.owner_and_mode(path), expected, path)
        listed = self.root.run("dpkg-query", "-W", "-f", "${Conffiles}", "hapticd")
        self.assertEqual(set(re.findall(r"^ (\S+) ", listed, re.M)), self.conffiles)
        for path in ("/usr/lib/systemd/system/hapticd.service", "/usr/lib/systemd/system/hapticd-guard.service",
                     "/usr/lib/udev/rules.d/60-hapticd.rules", "/usr/share/man/man8/hapticd.8.gz",
                     "/usr/include/hapticd/external_link.h", "/usr/include/hapticd/external_link_open.h",
                     "/usr/share/doc/hapticd/examples/reference.c", "/usr/bin/haptic-haply"):
            self.assertTrue(self.root.exists(path), path)

    def test_accounts(self):
        _, _, user, group, comment, home, shell = self.root.run("getent", "passwd", "hapticd").strip().split(":")
        self.assertLess(int(user), 1000)
        self.assertEqual((comment, home, shell), ("Haptic rendering daemon", "/var/lib/hapticd", "/usr/sbin/nologin"))
        self.assertEqual(self.root.run("getent", "group", group).split(":")[0], "hapticd")
        self.assertEqual(set(self.root.run("id", "-Gn", "hapticd").split()),
                         {"hapticd", "haptic", "haptic-operator", "iocard"})
        # Locked: no password gives access.
        self.assertRegex(self.root.run("getent", "shadow", "hapticd"), r"^hapticd:!")

    def test_nothing_is_enabled(self):
        self.assertEqual([path for path in self.root.snapshot() if re.search(r"\.wants/hapticd", path)], [])

    def test_programs_run_with_what_is_declared(self):
        self.check_declared_libraries()
        version = field(self.package, "Version").split("-")[0]
        for program in ("hapticd", "hapticd-guard"):
            self.assertEqual(self.root.run(program, "--version"), f"{program} {version}\n")
        scene = re.search(r"^HAPTICD_SCENE=(.*)$", self.root.read("/etc/hapticd/hapticd.env"), re.M).group(1)
        device = re.search(r"^HAPTICD_DEVICE=(.*)$", self.root.read("/etc/hapticd/hapticd.env"), re.M).group(1)
        self.root.run("hapticd", "--check", "--scene", scene, "--device", device, user="hapticd")
        table = self.root.run("hapticd", "--scene", scene, "--device", device, "--cycles", "300", user="hapticd")
        self.assertRegex(table, r"cycles +300\b")
        self.root.run("hapticd-guard", "--safe-outputs-now", "--manifest", device, user="hapticd")

    def test_an_upgrade_keeps_what_was_edited(self):
        edited = self.use()
        self.root.install(next_version(self.package, self.folder.name))
        self.assertTrue(self.root.run("dpkg-query", "-W", "-f", "${Version}", "hapticd").endswith("+next"))
        self.assertEqual(self.root.read("/etc/hapticd/hapticd.env"), edited)
        self.assertEqual(self.root.read("/var/log/hapticd/fault.h5"), "fault record\n")
        self.check_own_files()

    def test_an_upgrade_with_new_configuration(self):
        """The rule of dpkg: an edited file stays, with the new one next to it; an unedited one is replaced."""
        edited = self.use()
        changes = [("etc/hapticd/hapticd.env", "HAPTICD_GUARD_OPTIONS=", "HAPTICD_GUARD_OPTIONS=--hang-ms 20"),
                   ("etc/hapticd/scene.toml", "force = 2.0", "force = 1.5")]
        successor = next_version(self.package, self.folder.name, changes)
        shutil.copy(successor, self.root.path / "tmp")
        self.root.run("dpkg", "--force-confdef", "--force-confold", "-i", f"/tmp/{successor.name}")
        self.assertEqual(self.root.read("/etc/hapticd/hapticd.env"), edited)
        self.assertIn("GUARD_OPTIONS=--hang-ms 20", self.root.read("/etc/hapticd/hapticd.env.dpkg-dist"))
        self.assertIn("force = 1.5", self.root.read("/etc/hapticd/scene.toml"))
        self.check_own_files()

    def test_removal_keeps_configuration_and_models_for_a_reinstallation(self):
        edited = self.use()
        programs = {path for path in self.root.listed("hapticd") & self.added() if not path.startswith("/etc/")}
        self.root.run("apt-get", "remove", "-y", "hapticd")
        self.assertEqual(self.root.status("hapticd"), "config-files")
        self.assertEqual({path for path in programs if self.root.exists(path)}, set())
        self.assertEqual(self.root.read("/etc/hapticd/hapticd.env"), edited)
        self.assertTrue(self.root.exists("/etc/hapticd/scene.toml"))
        self.check_own_files()
        self.root.run("id", "hapticd")
        # A removed unit cannot be started by name.
        self.assertEqual(os.readlink(f"{self.root.path}/etc/systemd/system/hapticd.service"), "/dev/null")

        self.root.install(self.package)
        self.assertEqual(self.root.status("hapticd"), "installed")
        self.assertFalse(self.root.exists("/etc/systemd/system/hapticd.service"))
        self.assertEqual(self.root.read("/etc/hapticd/hapticd.env"), edited)
        self.assertEqual(self.root.owner_and_mode("/var/lib/hapticd"), "root haptic-operator 2775")
        self.check_own_files()

    def test_an_enabled_service_is_enabled_again_after_upgrade_and_reinstallation(self):
        link = "/etc/systemd/system/multi-user.target.wants/hapticd.service"
        self.root.run("systemctl", "enable", "hapticd.service")
        self.assertTrue(self.root.exists(link))
        self.root.install(next_version(self.package, self.folder.name))
        self.assertTrue(self.root.exists(link))
        self.root.run("apt-get", "remove", "-y", "hapticd")
        self.root.install(self.package)
        self.assertTrue(self.root.exists(link))
        self.root.run("dpkg", "--purge", "hapticd")
        self.assertFalse(self.root.exists(link))

    def test_purge_removes_the_package_files_and_nothing_else(self):
        self.use()
        self.root.run("apt-get", "purge", "-y", "hapticd")
        self.assertEqual(self.root.status("hapticd"), "not-installed")
        self.check_own_files()
        self.assertEqual(self.changed(), set())
        left = set(self.own)
        for path in self.own:
            left |= {str(folder) for folder in pathlib.Path(path).parents}
        self.assertEqual(self.added(), left - set(self.before) - {"/"})
        self.assertEqual(os.listdir(self.root.path / "dev/shm"), [])
        self.assertFalse(self.root.exists("/run/hapticd"))
        # The accounts stay, because files of theirs may exist.
        self.root.run("id", "hapticd")

    def test_purge_of_an_unused_package_leaves_nothing(self):
        self.root.run("apt-get", "purge", "-y", "hapticd")
        self.assertEqual((self.added(), self.changed()), (set(), set()))
        self.assertEqual(os.listdir(self.root.path / "dev/shm"), [])
        self.assertFalse(self.root.exists("/run/hapticd"))

    def test_an_older_processor_is_refused_before_anything_is_unpacked(self):
        self.check_refused_on_an_older_processor()


class Tools(Installed):
    name = "haptic-tools"

    def test_files_owners_and_modes(self):
        self.check_files()

    def test_programs_run_with_what_is_declared(self):
        self.check_declared_libraries()
        version = field(self.package, "Version").split("-")[0]
        self.assertEqual(self.root.run("haptic", "--version"), f"haptic {version}\n")
        checks = json.loads(self.root.attempt("haptic", "doctor", "--json").stdout)
        self.assertTrue(checks)

    def test_an_ordinary_user_simulates_and_looks(self):
        """The commands of a lab PC: the libraries that are opened late are declared, too."""
        work = "/tmp/look"
        self.root.run("mkdir", "-m", "777", work)
        self.addCleanup(self.root.run, "rm", "-rf", work)
        in_folder = lambda line: self.root.run("sh", "-ec", f"cd {work}; export HOME={work}; {line}", user="nobody")
        self.root.write(f"{work}/scene.toml", TWO_SPHERES)
        hand = "/usr/share/doc/haptic-tools/examples/scenes/spoon_ball/hand.csv"
        in_folder(f"haptic simulate scene.toml --trajectory {hand} -o log.h5")
        in_folder("haptic view --log log.h5 --png picture.png --width 160 --height 120")
        self.assertEqual((self.root.path / "tmp/look/picture.png").read_bytes()[1:4], b"PNG")
        # gnuplot is recommended only: without it, one line says so.
        plot = self.root.attempt("haptic", "plot", f"{work}/log.h5", "-o", f"{work}/plot.png", user="nobody")
        self.assertEqual(plot.returncode, 1)
        self.assertRegex(plot.stderr, r"\Ahaptic: .*gnuplot is not installed \(Debian's gnuplot-nox\)\n\Z")

    def test_the_package_of_a_command_that_is_missing_is_named(self):
        bake = self.root.attempt("haptic", "bake", "ball.toml", "-o", "ball.h5", user="nobody")
        self.assertEqual((bake.returncode, bake.stdout), (2, ""))
        self.assertEqual(bake.stderr, "haptic: bake: the program haptic-bake is missing; install the Debian package "
                                      "haptic-bake\n")

    def test_libraries_that_only_bakes_need_are_not_installed(self):
        for library in ("libmpi", "libopenvdb", "libembree", "libtbb"):
            self.assertNotIn(library, self.root.run("ldd", "/usr/bin/haptic"))
            self.assertNotEqual(self.root.attempt("dpkg", "-S", f"*/{library}*.so*").returncode, 0, library)

    def test_upgrade_removal_purge(self):
        self.root.install(next_version(self.package, self.folder.name))
        self.root.run("haptic", "--version")
        self.root.run("apt-get", "remove", "-y", "haptic-tools")
        self.assertEqual((self.added(), self.changed()), (set(), set()))
        self.assertEqual(self.root.status("haptic-tools"), "not-installed")  # no configuration: nothing to purge
        self.root.install(self.package)
        self.root.run("haptic", "--version")

    def test_no_file_is_in_another_package_too(self):
        files = lambda package: {line.split()[-1] for line in subprocess.run(
            ["dpkg-deb", "-c", package], check=True, capture_output=True, text=True).stdout.splitlines()
            if not line.startswith("d")}
        for other in ("hapticd", "haptic-bake"):
            self.assertEqual(files(self.package) & files(package_file(other)), set())

    def test_an_older_processor_is_refused_before_anything_is_unpacked(self):
        self.check_refused_on_an_older_processor()


class Bake(Installed):
    name = "haptic-bake"
    needs = ("haptic-tools",)

    def test_files_owners_and_modes(self):
        self.check_files()

    def test_programs_run_with_what_is_declared(self):
        self.check_declared_libraries()

    def test_an_ordinary_user_bakes_simulates_and_looks(self):
        """The commands of a workstation, on the examples: the libraries that are opened late are declared, too."""
        examples = "/usr/share/doc/haptic-tools/examples/scenes/spoon_ball"
        work = pathlib.Path("/tmp/bake")
        self.root.run("mkdir", "-m", "777", str(work))
        self.addCleanup(self.root.run, "rm", "-rf", str(work))
        in_folder = lambda line: self.root.run("sh", "-ec", f"cd {work}; export HOME={work}; {line}", user="nobody")
        in_folder(f"test -x {examples}/../bake.sh")
        in_folder(f"cp {examples}/ball.toml {work}")
        in_folder("haptic mesh sphere --length 0.03 -o ball.obj")
        recipe = self.root.read(f"{work}/ball.toml")
        self.root.write(f"{work}/ball.toml", re.sub(r"resolution = \d+", "resolution = 16", recipe))
        in_folder("haptic bake ball.toml -o ball.h5")
        in_folder("haptic verify ball.h5")
        self.root.write(f"{work}/scene.toml", SCENE)
        in_folder(f"haptic simulate scene.toml --trajectory {examples}/hand.csv -o log.h5")
        in_folder("haptic view --log log.h5 --png picture.png --width 160 --height 120")
        self.assertEqual((self.root.path / "tmp/bake/picture.png").read_bytes()[1:4], b"PNG")

    def test_upgrade_removal_purge(self):
        # It depends on exactly the version of the tools.
        tools = package_file("haptic-tools")
        now = f"haptic-tools (= {field(tools, 'Version')}"
        self.root.install(next_version(tools, self.folder.name),
                          next_version(self.package, self.folder.name, [("DEBIAN/control", now, now + "+next")]))
        self.root.run("haptic", "mesh", "--list")
        self.root.run("apt-get", "remove", "-y", "haptic-bake")
        self.assertEqual(self.root.attempt("haptic", "mesh", "--list").returncode, 2)
        self.assertEqual(self.root.status("haptic-bake"), "not-installed")
        self.root.run("dpkg", "-i", f"/tmp/{tools.name}")
        self.assertEqual(self.added(), set())
        self.root.install(self.package)
        self.root.run("haptic", "mesh", "--list")

    def test_an_older_processor_is_refused_before_anything_is_unpacked(self):
        self.check_refused_on_an_older_processor()


class Python(Installed):
    name = "python3-hapticd"
    needs = ("hapticd", "haptic-tools", "haptic-bake")  # of the examples alone
    folder_of_package = "/usr/lib/python3/dist-packages/hapticd"

    def compiled(self):
        """Byte code that the package's script makes."""
        return {path for path in self.added() if "__pycache__" in path}

    def test_files_owners_and_modes(self):
        compiled = self.compiled()
        self.assertTrue(any(path.endswith(".pyc") for path in compiled))
        self.check_files(others=compiled)

    def test_what_it_needs_is_declared(self):
        depends = field(self.package, "Depends")
        version = self.root.run("python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
        self.assertIn(f"python3 (>= {version}~)", depends)
        for package in ("python3-numpy", "python3-h5py"):
            self.assertIn(package, depends)
        declared = set(re.findall(r"(?:^|[,|]\s*)([a-z0-9.+-]+)", depends))
        module = next(path for path in self.root.listed(self.name) if path.endswith(".so"))
        dynamic = subprocess.run(["readelf", "-d", f"{self.root.path}{module}"], check=True, capture_output=True,
                                 text=True).stdout
        self.assertNotRegex(dynamic, "R(UN)?PATH")
        for library in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
            owners = set(re.findall(r"^([a-z0-9.+-]+)(?=:)", self.root.run("dpkg", "-S", f"*/{library}"), re.M))
            self.assertTrue(owners & declared, f"{library} of {owners}")

    def test_an_ordinary_user_runs_the_examples(self):
        work = "/tmp/python"
        self.root.run("mkdir", "-m", "777", work)
        self.addCleanup(self.root.run, "rm", "-rf", work)
        in_folder = lambda line: self.root.run("sh", "-ec", f"cd {work}; export HOME={work}; {line}", user="nobody")
        version = field(self.package, "Version").split("-")[0]
        self.assertEqual(in_folder("python3 -c 'import hapticd; print(hapticd.__version__)'"), f"{version}\n")
        self.assertIn("force_depth.csv: up to", in_folder("python3 -m hapticd.examples.force_depth -o press"))
        print(in_folder("python3 -m hapticd.examples.stepping_speed -o speed"))
        estimate = in_folder("python3 -m hapticd.examples.stiffness_staircase --procedure quest -o stairs")
        found, true = map(float, re.search(r"estimate ([0-9.]+) N/m, participant ([0-9.]+) N/m", estimate).groups())
        self.assertLess(abs(found - true), 0.33 * true)  # three spreads of 50 trials, as in tests/host/python

    def test_upgrade_removal_purge(self):
        self.root.install(next_version(self.package, self.folder.name))
        self.root.run("python3", "-c", "import hapticd.experiment")
        self.root.run("apt-get", "remove", "-y", self.name)
        self.assertEqual((self.added(), self.changed()), (set(), set()))
        self.assertEqual(self.root.status(self.name), "not-installed")

    def test_an_older_processor_is_refused_before_anything_is_unpacked(self):
        self.check_refused_on_an_older_processor()


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        print("install_test: SKIPPED, needs root and mmdebstrap", file=sys.stderr)
        sys.exit(77)
    enter_mount_namespace()
    unittest.main(argv=[sys.argv[0], *suite_and_arguments()[1]], verbosity=2)

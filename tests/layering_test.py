#!/usr/bin/env python3
"""Who may include whom: lab -> host -> rt -> shared, and inside each layer the order of folders, as layers.toml has it.
Nothing outside rt/worlds/NAME but lab includes a header of that kind of world. A test is named for the source that it
tests.

Usage: layering_test.py ROOT [HAPTICD]. With the daemon it also checks what that links.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(sys.argv[1])
DAEMON = sys.argv[2] if len(sys.argv) > 2 else None
FORBIDDEN_IN_DAEMON = re.compile(r"hdf5|libGL|libEGL|epoxy|glfw|imgui|X11|libpng|embree|openvdb|cholmod|libmpi|open-rte", re.I)


def layer_groups(root: pathlib.Path) -> dict[str, list[list[str]]]:
    """{layer: groups of folders}, from the lowest layer and the first group on."""
    document = tomllib.loads((root / "layers.toml").read_text())
    return {layer: document["folders"][layer] for layer in document["layers"]}


def folder_order(root: pathlib.Path) -> dict[str, int]:
    """{layer/folder: its group, counted from the first}"""
    order = {}
    for layer, groups in layer_groups(root).items():
        for group, names in enumerate(groups):
            for name in names:
                if f"{layer}/{name}" in order:
                    raise ValueError(f"layers.toml: {layer}/{name} is there twice")
                order[f"{layer}/{name}"] = group
    return order


def table_rows(root: pathlib.Path) -> list[str]:
    """The rows that docs/architecture.md shows."""
    return [f"| `{layer}` | {' / '.join(', '.join(names) for names in groups)} |"
            for layer, groups in layer_groups(root).items()]


def wrong_includes(root: pathlib.Path) -> list[str]:
    order, found, seen = folder_order(root), [], set()
    layers = list(layer_groups(root))
    for layer in layers:
        allowed = layers[:layers.index(layer) + 1]
        for path in sorted((root / layer).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            parts = path.relative_to(root).parts
            own = "/".join(parts[:2]) if len(parts) > 2 else None  # None: the layer's own few headers
            if own is not None:
                seen.add(own)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r'\s*#\s*include\s*["<]((?:shared|rt|host|lab|tests|bench)/[^">]+)', line)
                if not match:
                    continue
                to = pathlib.PurePath(match[1]).parts
                other = "/".join(to[:2]) if len(to) > 2 else None
                where = f"{path.relative_to(root)}:{number}: {line.strip()}"
                if to[0] not in allowed:
                    found.append(f"{where} (layer {layer})")
                elif layer != "lab" and to[:2] == ("rt", "worlds") and len(to) > 3 and to[:3] != parts[:3]:
                    found.append(f"{where} (only rt/worlds/{to[2]} may include a header of its kind of world)")
                elif to[0] == layer and other not in (own, None) and order.get(other, 99) >= order.get(own, -1):
                    found.append(f"{where} ({own or layer} is not after {other} in layers.toml)")
    found += [f"layers.toml: {folder} is not in it" for folder in sorted(seen - set(order))]
    found += [f"layers.toml: there is no folder {folder}" for folder in sorted(set(order) - seen)]
    return found


def wrong_test_names(root: pathlib.Path) -> list[str]:
    """Tests named neither SOURCE_test.cpp nor SOURCE_ASPECT_test.cpp, where SOURCE is a file of this tree."""
    sources = {path.stem for folder in ("shared", "rt", "host", "lab", "bench", "tests") for path in (root / folder).rglob("*")
               if path.suffix in (".h", ".cpp") and not path.stem.endswith("_test")} - {"main"}
    found = []
    for path in sorted((root / "tests").rglob("*_test.cpp")):
        words = path.stem.removesuffix("_test").split("_")
        if not any("_".join(words[:count]) in sources for count in range(1, len(words) + 1)):
            found.append(f"{path.relative_to(root)}: no source has this name or the beginning of it")
    return found


def coded_cases(root: pathlib.Path) -> list[str]:
    """Test cases that begin with the number of a requirement or of a row, as in T27_energy_is_kept."""
    return [f"{path.relative_to(root)}: {case}" for path in sorted((root / "tests").rglob("*_test.cpp"))
            for case in re.findall(r"(?:TEST(?:_F|_P)?|_PROP)\(\s*\w+,\s*([A-Z]+\d+_\w+)", path.read_text())]


def dumps_of_json(root: pathlib.Path) -> list[str]:
    """Sources that write JSON by themselves: only json_text() takes texts that are not UTF-8."""
    allowed = {root / "host/files/json_text.cpp", root / "host/haply/haply_messages.cpp"}
    return [str(path.relative_to(root)) for layer in layer_groups(root) for path in sorted((root / layer).rglob("*.cpp"))
            if path not in allowed and re.search(r"\.dump\(", path.read_text())]


def unchecked_hdf5(root: pathlib.Path) -> list[str]:
    """Reads of HDF5 files outside of the two sources that check them (Hdf5Input, Hdf5Dataset)."""
    checked = {root / f"host/artifact/{name}.cpp" for name in ("hdf5_dataset", "hdf5_input")}
    found = []
    for path in sorted((root / "host").rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if path not in checked and re.search(r"\bH5(Aread|Dread\w*|Aiterate\w*|Dget_chunk\w*)\(|H5F_ACC_RDONLY", line):
                found.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
    return found


class Layering(unittest.TestCase):
    def test_json_is_written_by_one_function(self):
        self.assertEqual(dumps_of_json(ROOT), [])

    def test_includes_follow_the_order_of_folders(self):
        self.assertEqual(wrong_includes(ROOT), [])

    def test_the_page_shows_the_order_of_folders(self):
        page = (ROOT / "docs/architecture.md").read_text()
        shown = re.findall(rf"^\| `(?:{'|'.join(layer_groups(ROOT))})` \| .+ \|$", page, re.MULTILINE)
        self.assertEqual(shown, table_rows(ROOT))

    def test_the_daemon_links_nothing_of_the_host(self):
        if DAEMON is None:
            self.skipTest("no daemon named")
        output = subprocess.run(["ldd", DAEMON], check=True, capture_output=True, text=True).stdout
        self.assertIn("libc.so", output)
        self.assertEqual([line for line in output.splitlines() if FORBIDDEN_IN_DAEMON.search(line)], [])

    def test_a_forbidden_include_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {"layers.toml":
                         'layers = ["shared", "rt", "host"]\n[folders]\nshared = [["math"]]\nhost = [["view"]]\n'
                         'rt = [["geometry", "dynamics"], ["contact"], ["worlds"]]\n',
                     "rt/worlds/world.h": "", "rt/worlds/make_world.cpp": '#include "rt/worlds/world.h"\n',
                     "rt/worlds/solids/kind.h": '#include "rt/worlds/world.h"\n',
                     "rt/worlds/solids/kind.cpp": '#include "rt/worlds/solids/kind.h"\n',
                     "shared/error.h": "", "shared/math/pose.h": '#include "shared/error.h"\n',
                     "rt/geometry/field.h": '#include "shared/math/pose.h"\n', "rt/dynamics/step.h": "",
                     "rt/contact/law.h": '#include "rt/geometry/field.h"\n#include "rt/dynamics/step.h"\n',
                     "host/view/window.cpp": '#include "rt/contact/law.h"\n'}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(wrong_includes(root), [])
            for name, include, says in [
                    ("rt/geometry/field.h", "rt/contact/law.h", "rt/geometry is not after rt/contact"),
                    ("rt/geometry/field.h", "rt/dynamics/step.h", "rt/geometry is not after rt/dynamics"),
                    ("rt/contact/law.h", "host/view/window.h", "layer rt"),
                    ("shared/error.h", "rt/contact/law.h", "layer shared"),
                    ("shared/error.h", "shared/math/pose.h", "shared is not after shared/math"),
                    ("rt/worlds/make_world.cpp", "rt/worlds/solids/kind.h", "only rt/worlds/solids"),
                    ("host/view/window.cpp", "rt/worlds/solids/kind.h", "only rt/worlds/solids"),
                    ("host/view/window.cpp", "lab/cloth/forces.h", "layer host"),
                    ("host/view/window.cpp", "tests/support/scene.h", "layer host")]:
                (root / name).write_text(files[name] + f'  #  include "{include}"\n')
                found = wrong_includes(root)
                self.assertEqual(len(found), 1, (name, include, found))
                self.assertIn(says, found[0])
                (root / name).write_text(files[name])
            (root / "rt/cloth").mkdir()
            (root / "rt/cloth/step.h").write_text("")
            self.assertEqual(wrong_includes(root), ["layers.toml: rt/cloth is not in it"])
            self.assertEqual(table_rows(root), ["| `shared` | math |", "| `rt` | geometry, dynamics / contact / worlds |",
                                                "| `host` | view |"])

    def test_hdf5_files_are_read_where_they_are_checked(self):
        self.assertEqual(unchecked_hdf5(ROOT), [])
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "host/artifact").mkdir(parents=True)
            for name in ("hdf5_input", "model_attributes"):
                (root / f"host/artifact/{name}.cpp").write_text("H5Aread(id, type, text.data());\n")
            self.assertEqual(unchecked_hdf5(root), ["host/artifact/model_attributes.cpp:1: H5Aread(id, type, text.data());"])

    def test_tests_are_named_for_sources(self):
        self.assertEqual(wrong_test_names(ROOT), [])

    def test_cases_are_named_by_sentences(self):
        self.assertEqual(coded_cases(ROOT), [])

    def test_a_case_with_a_number_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests").mkdir()
            (root / "tests/step_test.cpp").write_text("TEST(Step, energy_is_kept) {}\nTEST_F(Step,\n  T27_M8_falls) {}\n")
            self.assertEqual(coded_cases(root), ["tests/step_test.cpp: T27_M8_falls"])

    def test_a_test_without_its_source_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("rt/contact/friction_law.cpp", "rt/hapticd/main.cpp", "tests/rt/contact/friction_law_test.cpp",
                         "tests/rt/contact/friction_law_on_ice_test.cpp"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("")
            self.assertEqual(wrong_test_names(root), [])
            for name in ("friction", "main_loop", "friction_lawful", "law"):
                (root / f"tests/rt/contact/{name}_test.cpp").write_text("")
            self.assertEqual([line.split(":")[0] for line in wrong_test_names(root)],
                             [f"tests/rt/contact/{name}_test.cpp"
                              for name in ("friction_lawful", "friction", "law", "main_loop")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

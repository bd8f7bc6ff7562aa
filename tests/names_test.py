#!/usr/bin/env python3
"""No qualified name is defined in two files: two classes of one name in one program are undefined behaviour, which no
compiler reports and which the linker resolves by taking one of the two.

Usage: names_test.py ROOT. Reads the definitions of classes, unions, enumerations, aliases and variables at namespace
scope with Universal Ctags; names in unnamed namespaces are their files' own.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ("shared", "rt", "host", "lab", "tests", "bench")


def defined_twice(root: pathlib.Path) -> list[str]:
    files = [str(path.relative_to(root)) for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp")]
    tags = subprocess.run(
        ["ctags-universal", "--languages=C++", "--kinds-C++=csugtv", "--fields=+ZKE", "-x",
         "--_xformat=%K\t%Z\t%N\t%F\t%n", "-L", "-"],
        cwd=root, input="\n".join(files), capture_output=True, text=True, check=True).stdout
    places: dict[str, dict[str, str]] = {}
    for tag in tags.splitlines():
        kind, scope, name, file, line = tag.split("\t")
        # Of variables only those in headers: an explicit instantiation in a source file is tagged as one, too.
        if "__anon" in scope + name or (kind == "variable" and not file.endswith(".h")):
            continue
        places.setdefault(f"{scope}::{name}".lstrip(":"), {}).setdefault(file, f"{file}:{line}")
    return [f"{name}: {', '.join(at.values())}" for name, at in sorted(places.items()) if len(at) > 1]


class Names(unittest.TestCase):
    def test_no_name_is_defined_in_two_files(self):
        self.assertEqual(defined_twice(ROOT), [])

    def test_a_name_that_is_defined_twice_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "rt").mkdir()
            (root / "rt/field.h").write_text("namespace haptic {\nclass Field;\nstruct Node { int at; };\n}\n")
            (root / "rt/grid.h").write_text("namespace haptic {\nclass Grid { struct Node { int at; }; };\n}\n")
            (root / "rt/tree.cpp").write_text("namespace haptic {\nnamespace {\nstruct Node { int x; };\n}\n"
                                              "namespace cloth {\nstruct Node { int y; };\n}\n}\n")
            self.assertEqual(defined_twice(root), [])
            for text, says in [("struct Node { double at; };", "haptic::Node: rt/field.h:3, rt/other.h:2"),
                               ("class Field {};\n}\nnamespace haptic::cloth {\nenum class Node { kLeaf };",
                                "haptic::cloth::Node: rt/other.h:5, rt/tree.cpp:6"),
                               ("using Grid = int;", "haptic::Grid: rt/grid.h:2, rt/other.h:2"),
                               ("inline constexpr int Node = 3;", "haptic::Node: rt/field.h:3, rt/other.h:2")]:
                (root / "rt/other.h").write_text(f"namespace haptic {{\n{text}\n}}\n")
                self.assertEqual(defined_twice(root), [says])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

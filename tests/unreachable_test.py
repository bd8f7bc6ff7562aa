#!/usr/bin/env python3
"""No function or class of the product that no program reaches.

Usage: unreachable_test.py ROOT

The graph is one of names, from Universal Ctags and the words of each definition: what main functions, the commands, the
kinds of world and the Python module name, directly or through what they name, is reached. A member needs its class as
well. Two functions of one name are not told apart, so what is found has no user, and some of what has none is not found.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ("shared", "rt", "host", "adapters")
# What the language and libraries call: range-for, containers, fmt, CLI11, nanoflann, METIS, the loader.
CALLED_BY_OTHERS = set("""
    main begin end format parse what malloc calloc realloc free aligned_alloc posix_memalign memalign PYBIND11_MODULE
    allocate deallocate construct make_footer make_option make_option_name make_subcommand make_subcommands
    kdtree_get_bbox kdtree_get_point_count kdtree_get_pt addPoint worstDist gk_sigthrow SuiteSparse_metis_gk_sigthrow
    """.split())
# Named by a macro or by CMake: rt/worlds/world_kinds.cpp, host/cli/CMakeLists.txt.
GENERATED = re.compile(r"add_\w+_command|\w+_world_kind")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[ \t]*include[^\n]*',
                      re.DOTALL | re.MULTILINE)
# Of at most so many lines: what tests observe of an object.
ACCESSOR_LINES = 3
# Name: why the product has it although no program reaches it.
ALLOWED = {
    "RegisteredWorldKind": "adds a kind of world from outside of the tree (docs/architecture.md)",
    "edit_cloth": "settings of a scene that a program has read", "edit_condensed": "as edit_cloth",
    "edit_solids": "as edit_cloth",
    "build_basis": "the bake's blocks in one call", "modal_derivatives": "as build_basis",
    "BoxCells": "blocks of cubes, the bodies of most tests", "box_cells": "as BoxCells",
    "make_box_mesh": "as BoxCells", "make_tetrahedral_box_mesh": "as BoxCells",
    "hessian_product": "plain form, with which the fast one is compared",
    "dissipation": "power of the dampers, for balances of energy", "free_share": "sum of a row's weights, for tests",
    "displacement_of_row": "of contacts that an experiment holds", "system_of": "the system of contacts that it holds",
}
WORD = re.compile(r"[A-Za-z_]\w*")
Definition = collections.namedtuple("Definition", "kind scope name file first last")


def definitions(root: pathlib.Path, files: list[str]) -> list[Definition]:
    tags = subprocess.run(
        ["ctags-universal", "--languages=C++", "--langmap=C++:.h.cpp.c", "--kinds-C++=csugtvfpd",
         "--fields=+neKZ", "-x", "--_xformat=%K\t%Z\t%N\t%F\t%n\t%e", "-L", "-"],
        cwd=root, input="\n".join(files), capture_output=True, text=True, check=True).stdout
    found = []
    for tag in tags.splitlines():
        kind, scope, name, file, first, last = tag.split("\t")
        if not name.startswith("__anon"):  # a lambda's lines are its function's
            found.append(Definition(kind, scope, name, file, int(first), int(last or first)))
    return found


def code_lines(path: pathlib.Path) -> list[str]:
    """The lines of a file without comments and texts."""
    return NOT_CODE.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(errors="replace")).split("\n")


def unreachable(root: pathlib.Path) -> list[Definition]:
    files = [str(path.relative_to(root)) for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp", ".c")]
    tags = definitions(root, files)
    by_file = collections.defaultdict(list)
    for tag in tags:
        by_file[tag.file].append(tag)
    words: dict[Definition, set[str]] = {}
    loose: set[str] = set()  # at the scope of namespaces: aliases, explicit instantiations, calls of macros
    for file, here in by_file.items():
        lines = code_lines(root / file)
        owner: list[Definition | None] = [None] * (len(lines) + 2)
        # The innermost owns a line; a prototype owns its own, so that it names nobody.
        for tag in sorted(here, key=lambda t: t.first - t.last):
            for number in range(tag.first, min(tag.last, len(lines)) + 1):
                owner[number] = tag
        for number, line in enumerate(lines, 1):
            of = owner[number]
            named = set(WORD.findall(line))
            if of is None:
                loose |= named
            else:
                words.setdefault(of, set()).update(named)
    nodes = [t for t in tags if t.kind != "prototype"]
    classes = {t.name for t in nodes if t.kind in ("class", "struct", "union")}
    by_name = collections.defaultdict(list)
    for tag in nodes:
        by_name[tag.name].append(tag)
    # Words of a prototype count once its function or class is reached: types, and defaults of arguments.
    for tag in tags:
        if tag.kind == "prototype":
            for other in by_name.get(tag.name, []):
                words.setdefault(other, set()).update(words.get(tag, set()) - {tag.name})

    reached: set[Definition] = set()
    known: set[str] = set()
    waiting = collections.defaultdict(list)  # a class's name: members whose name is known
    todo: list[Definition] = []

    def reach(tag: Definition) -> None:
        if tag not in reached:
            reached.add(tag)
            todo.append(tag)

    def parent(tag: Definition) -> str | None:
        last = tag.scope.rsplit("::", 1)[-1]
        return last if last in classes else None

    def know(name: str) -> None:
        if name in known:
            return
        known.add(name)
        for tag in by_name.get(name, []):
            of = parent(tag)
            if of is None or of in known:
                reach(tag)
            else:
                waiting[of].append(tag)
        for tag in waiting.pop(name, []):
            reach(tag)

    for tag in nodes:
        if tag.name in CALLED_BY_OTHERS or GENERATED.fullmatch(tag.name):
            know(tag.name)
        elif tag.name.startswith(("~", "operator")):
            of = parent(tag)
            if of is None:
                reach(tag)
            else:
                waiting[of].append(tag)
    for name in loose:
        know(name)
    while todo:
        for name in words.get(todo.pop(), ()):
            know(name)
    return [t for t in nodes if t not in reached and t.kind in ("function", "class", "struct")
            and t.last - t.first >= ACCESSOR_LINES]


def shown(found: list[Definition]) -> list[str]:
    return sorted(f"{t.file}:{t.first}: {t.name}, {t.last - t.first + 1} lines" for t in found)


class Unreachable(unittest.TestCase):
    def test_programs_reach_what_the_product_defines(self):
        found = unreachable(ROOT)
        self.assertEqual(shown([t for t in found if t.name not in ALLOWED]), [],
                         "no program reaches this: make it reachable, or move it to lab/ or to its tests")
        self.assertEqual(set(ALLOWED) - {t.name for t in found}, set(), "programs reach this: it needs no exception")

    def test_what_nobody_names_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "rt").mkdir()
            (root / "rt/grid.h").write_text("""
class Grid {
 public:
  int size() const { return 1; }
  int cells() const;
};
int cells_of(const Grid& grid);
int unused(
    int n);
""")
            (root / "rt/grid.cpp").write_text("""
int Grid::cells() const {
  const int n = size();
  return n;
}
int cells_of(const Grid& grid) {
  // unused(1) in a comment, "unused(2)" in a text
  const int n = grid.cells();
  return n;
}
int unused(
    int n) {
  return n > 0 ? unused(n - 1) : helper(n);
}
int helper(int n) {
  const int two = 2 * n;
  return two;
}
""")
            program = root / "rt/main.cpp"
            program.write_text("int main() { return cells_of(Grid()); }\n")
            self.assertEqual(shown(unreachable(root)),
                             ["rt/grid.cpp:11: unused, 4 lines", "rt/grid.cpp:15: helper, 4 lines"])
            program.write_text("int main() { return unused(3); }\n")
            self.assertEqual(shown(unreachable(root)), [
                "rt/grid.cpp:2: cells, 4 lines", "rt/grid.cpp:6: cells_of, 5 lines", "rt/grid.h:2: Grid, 5 lines"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

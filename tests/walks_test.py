#!/usr/bin/env python3
"""The lists of functions in docs/architecture.md are true: each function is defined in the file that is named, and the
body of a function calls those that are indented below it, in their order.

Usage: walks_test.py ROOT
"""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
PAGE = "docs/architecture.md"
ITEM = re.compile(r"^( *)- `([\w:]+)` \(`((?:shared|rt|host)/[^`]+)`\)")


def body_of(source: str, function: str) -> str | None:
    """The bodies of all overloads of `Class::name` or `name`; in a header, of `name` in the class."""
    owner, _, name = function.rpartition("::")
    written = rf"\b{re.escape(function)}\("
    if owner and not re.search(written, source) and re.search(rf"\bclass {owner}\b", source):
        written = rf"\b{name}\("
    bodies = []
    for match in re.finditer(written, source):
        after = closing(source, match.end() - 1, "()")
        if definition := re.match(r"[\s\w\[\]:]*\{", source[after:]):
            begin = after + definition.end()
            bodies.append(source[begin:closing(source, begin - 1, "{}")])
    return "\n".join(bodies) if bodies else None


def closing(source: str, begin: int, pair: str) -> int:
    """The position after the bracket that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(source)):
        depth += (source[at] == pair[0]) - (source[at] == pair[1])
        if depth == 0:
            return at + 1
    return len(source)


def wrong_steps(root: pathlib.Path) -> list[str]:
    found, above = [], []  # above: (indentation, function, body, how far its calls have been read)
    for number, line in enumerate((root / PAGE).read_text().splitlines(), 1):
        item = ITEM.match(line)
        if not item:
            above = above if line.strip() else []
            continue
        indent, function, file = len(item[1]), item[2], item[3]
        where = f"{PAGE}:{number}: {function}"
        body = body_of((root / file).read_text(), function) if (root / file).is_file() else None
        if body is None:
            found.append(f"{where} is not defined in {file}")
        while above and above[-1][0] >= indent:
            above.pop()
        if above and above[-1][2] is not None:
            parent = above[-1]
            name = function.rpartition("::")[2]
            call = re.compile(rf"\b{name}\(").search(parent[2], parent[3])
            if call:
                parent[3] = call.end()
            else:
                found.append(f"{where} is not called by {parent[1]}, or earlier than the function listed before it")
        above.append([indent, function, body, 0])
    return found


class Walks(unittest.TestCase):
    def test_the_lists_of_functions_are_true(self):
        self.maxDiff = None
        self.assertEqual(wrong_steps(ROOT), [])
        steps = [line for line in (ROOT / PAGE).read_text().splitlines() if ITEM.match(line)]
        self.assertGreater(len(steps), 80)

    def test_each_kind_of_wrong_step_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {
                    "rt/loop.cpp": "void Loop::run(int n) RT {\n  if (n) {\n    sense();\n  }\n  device_.actuate(wrench);\n}\n",
                    "rt/device.h": "class Device {\n  void sense();\n  void actuate(Wrench w) override { send(w); }\n};\n",
                    "rt/sense.cpp": "void Device::sense() { }\n"}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            (root / "docs").mkdir()
            run = "- `Loop::run` (`rt/loop.cpp`)\n"
            sense = "  - `Device::sense` (`rt/sense.cpp`): reads\n"
            actuate = "  - `Device::actuate` (`rt/device.h`)\n"
            (root / PAGE).write_text(run + sense + actuate)
            self.assertEqual(wrong_steps(root), [])
            for text, says in [(run + actuate + sense, "Device::sense is not called by Loop::run"),
                               (run + actuate + "    - `Device::sense` (`rt/sense.cpp`)\n", "is not called by Device::actuate"),
                               (run + "  - `Device::sense` (`rt/device.h`)\n", "Device::sense is not defined in rt/device.h"),
                               (run + "  - `Device::sense` (`rt/gone.cpp`)\n", "is not defined in rt/gone.cpp")]:
                (root / PAGE).write_text(text)
                self.assertEqual(len(wrong_steps(root)), 1, wrong_steps(root))
                self.assertIn(says, wrong_steps(root)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

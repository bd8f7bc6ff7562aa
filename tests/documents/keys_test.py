#!/usr/bin/env python3
"""Compares the literal keys in the sources of TOML readers with those that `haptic explain` describes, by name.

Usage: keys_test.py TREE HAPTIC

The tests of recipe_keys, scene_keys, manifest_keys and load_keys compare whole paths, units, ranges and defaults with
what the readers ask for. This one finds what no document of theirs reaches.
"""
import json
import pathlib
import re
import subprocess
import sys

TREE = pathlib.Path(sys.argv[1]).resolve()
DOCUMENTS = ("recipe", "scene", "manifest", "load-script", "calibration-file")
GETTER = re.compile(
    r"(?:\.|->)(?:has|number|optional_number|integer|optional_integer|boolean|text|choice|file|files|texts|numbers|"
    r"integers|table|optional_table|tables)\(\s*\"(\w+)\"")
# A function that is given a table and a key: read_vector(table, "gravity", ...).
# Not read_target of a joint, which is given a unit.
HELPER = re.compile(r"\b(?:read_(?!target)\w+|physical|vector_of|positive_integer)\(\s*\*?\w+,\s*\"(\w+)\"")
# read("speed", "m/s", force) of read_device_limits; lit("homing", "red") of the Falcon's lights.
LAMBDA = re.compile(r"\b(?:read|lit)\(\"(\w+)\",")
LOOP = re.compile(r"for \(const \w[\w:]*\*?(?: const)? key :\s*\{([^}]*)\}", re.S)


def names_in(source):
    names = set(GETTER.findall(source)) | set(HELPER.findall(source)) | set(LAMBDA.findall(source))
    for loop in LOOP.findall(source):
        names |= set(re.findall(r"\"(\w+)\"", loop))
    return names


def readers():
    """Sources of rt and host that read a TOML table."""
    for folder in ("rt", "host"):
        for path in sorted((TREE / folder).rglob("*.cpp")) + sorted((TREE / folder).rglob("*.h")):
            text = path.read_text()
            if "TomlTable" in text or "TomlDocument" in text or "table.h" in text and "_tables.h" in text:
                yield path.relative_to(TREE), text


def main():
    # The patterns find what they are for.
    assert names_in('t.number("a", r); p->has(\n "b"); read_vector(*gravity, "c", 1); read("d", "m");'
                    'for (const char* const key : {"e", "f"}) t.has(key);') == set("abcdef")
    described = {}
    for document in DOCUMENTS:
        out = subprocess.run([sys.argv[2], "explain", "--json", document], capture_output=True, text=True, check=True)
        for row in json.loads(out.stdout)["keys"]:
            name = row["key"].split(".")[-1].removesuffix("[]")
            described.setdefault(name, []).append(f"{document}: {row['key']}")
    wrong, asked, sources = [], set(), ""
    for path, text in readers():
        names = names_in(text)
        asked |= names
        sources += text
        wrong += [f"{path}: \"{name}\" is read and not described" for name in sorted(names - described.keys())]
    # Some readers have their keys in a table of their own.
    for table in ("rt/device/servo_limits.h", "rt/geometry/analytic_shape.cpp", "host/bake/recipe_cloth.cpp"):
        sources += (TREE / table).read_text()
    for name, rows in sorted(described.items()):
        if not re.search(rf"\"(?:limits\.)?{name}\"", sources):
            wrong.append(f"{', '.join(rows)}: described, and in no reader")
    print("\n".join(wrong))
    rows = sum(len(rows) for rows in described.values())
    print(f"{len(asked)} names of keys in the readers, {len(described)} names in {rows} descriptions")
    if len(asked) < 200:
        print("the patterns find too few keys in the readers")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Seed corpora of the fuzz targets: the files this tree ships, small binary ones made here, and what earlier runs
kept (corpus/*.zip, by pack_corpus.py).

Usage: make_seeds.py SOURCE_TREE OUT, writes OUT/<target>/*
"""
import pathlib
import struct
import sys
import zipfile

SHAPES = """[[body]]
name = "ball"
shape = "sphere"
radius = 0.01
role = "held"
[[body]]
name = "table"
shape = "plane"
size = 0.5
role = "anchored"
position = [0.0, 0.0, -0.1]
orientation = [1.0, 0.0, 0.0, 0.0]
[coupling]
mode = "dynamic"
stiffness = 200.0
[limits]
force = 2.0
slew_N_per_s = 100.0
[device]
hand = "spring-damper"
mass = 0.3
"""
# Models of a recipe's or scene's bodies need not exist for what is read before them.
RECIPE = """[source]
mesh = "a.obj"
length = 0.1
[material]
youngs_modulus = 5e4
poisson_ratio = 0.45
density = 1000.0
[constraints]
planes = [{ axis = "y", below = 0.05 }]
boxes = [{ minimum = [0, 0, 0], maximum = [0.1, 0.1, 0.1] }]
[reduction]
linear_modes = 10
dimension = 20
[shell]
points = 2000
levels = 3
[field]
resolution = 64
"""


def model(sections):
    """A user block; hashes stay zero, the target puts them right. Sections: name, type, shape."""
    sizes = {1: 4, 2: 8, 3: 4, 4: 1}
    entries, offset = b"", 16384
    for name, kind, shape in sections:
        length = sizes[kind]
        for extent in shape:
            length *= extent
        rank = len(shape)
        entries += struct.pack("<64sII3QQQQ", name.encode(), kind, rank, *(list(shape) + [0] * (3 - rank)),
                               offset, length, 0)
        offset += (length + 4095) // 4096 * 4096
    header = struct.pack("<8sIIQIIQQQQ", b"\x89HAPTIC\n", 0x01020304, 1, 0, len(sections), 120, 64,
                         len(entries), 0, 0)
    pages = (offset - 16384) // 4096
    return bytes([0, pages]) + header + entries


def command(kind, value=0.0, key=b"", connection=0):
    """A step of the target `commands`: one whole command, cut after its key."""
    whole = struct.pack("<IId64s", kind, 0, value, key)
    return bytes([1 << 2 | connection, len(whole)]) + whole


TURN, HANG_UP = bytes([3 << 2]), bytes([2 << 2])


def packet(values, last, flags=ord("A")):
    nibbles = b"".join(bytes(ord("A") + (v >> shift & 15) for shift in (0, 4, 8, 12)) for v in values)
    return b"<" + nibbles + bytes([flags, last]) + b">"


def seeds(tree):
    scenes = {p.parent.name + "-" + p.name: p.read_bytes() for p in sorted(tree.glob("scenes/*/scene*.toml"))}
    recipes = {p.parent.name + "-" + p.name: p.read_bytes() for p in sorted(tree.glob("scenes/*/*.toml"))
               if not p.name.startswith("scene")}
    yield "scene", scenes | {"shapes": SHAPES.encode(),
                             "packaged": (tree / "packaging/scene.toml").read_bytes()}
    yield "recipe", recipes | {"all": RECIPE.encode()}
    yield "manifest", {p.name: p.read_bytes() for p in sorted(tree.glob("firmware-config/*.toml"))}
    yield "model_index", {
        "rigid": model([("/surface/vertices", 2, [8, 3]), ("/surface/triangles", 3, [12, 3])]),
        "reduced": model([("/surface/vertices", 2, [8, 3]), ("/surface/triangles", 3, [12, 3]),
                          ("/surface/basis", 1, [24, 2]), ("/mesh/vertices", 2, [8, 3]), ("/mesh/elements", 3, [1, 8]),
                          ("/mesh/fixed", 3, [4]), ("/reduced/basis", 2, [24, 2]), ("/reduced/eigenvalues", 2, [2]),
                          ("/reduced/quadratic", 2, [3]), ("/reduced/cubic", 2, [4]), ("/reduced/quartic", 2, [5]),
                          ("/reduced/damping", 2, [2])]),
        "shell": model([("/shell/points", 1, [5, 3]), ("/shell/normals", 1, [5, 3]), ("/shell/weights", 1, [5]),
                        ("/shell/tree/level_begin", 3, [3]), ("/shell/tree/point", 3, [6]),
                        ("/shell/tree/child_begin", 3, [6]), ("/shell/tree/child_count", 3, [6]),
                        ("/shell/tree/radius", 1, [6])]),
        "field": model([("/field/values", 1, [17, 17, 17]), ("/field/frame", 2, [5]), ("/rigid/mass", 2, [1]),
                        ("/rigid/centre", 2, [3]), ("/rigid/inertia", 2, [3, 3])]),
        "empty": model([])}
    yield "commands", {
        "engage": command(1) + TURN + command(2) + TURN,
        "set": command(5, 300.0, b"coupling.stiffness") + command(4, connection=1) + TURN + command(3),
        "flood": command(1) * 9 + command(4, connection=2) + TURN + TURN,
        "gone": command(1) + HANG_UP + TURN + command(1) + TURN + HANG_UP + TURN,
        "wrong": command(77) + TURN + bytes([0, 5]) + b"12345" + TURN + command(5)}
    yield "falcon_packets", {
        "one": packet([0x1234, 0, 0xFFFF], ord("A")),
        "homed": packet([1, 2, 3], ord("A") + 7, ord("B")) * 3,
        "cut": packet([5, 6, 7], ord("B"))[:9] + packet([8, 9, 10], ord("C")) + b"<<A>"}


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[2])
    for target, files in seeds(pathlib.Path(sys.argv[1])):
        (out / target).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (out / target / name).write_bytes(data)
        kept = pathlib.Path(__file__).parent / f"corpus/{target}.zip"
        if kept.exists():
            with zipfile.ZipFile(kept) as archive:
                archive.extractall(out / target)

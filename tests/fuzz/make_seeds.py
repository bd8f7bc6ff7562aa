#!/usr/bin/env python3
"""Seed corpora of the fuzz targets: the files of this tree, small binary files made here, and the inputs kept from
earlier runs (corpus/*.zip, by pack_corpus.py).

Usage: make_seeds.py SOURCE_TREE OUT, writes OUT/<target>/*
"""
import math
import pathlib
import re
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
# A file that exists, since the kind's tables are read after the bodies.
CLOTH_SCENE = """world = "cloth"
gravity = [0.0, -1.6, 0.0]
[[body]]
name = "sheet"
model = "/proc/self/exe"
role = "anchored"
[[body]]
name = "hand"
shape = "sphere"
radius = 0.01
role = "held"
[cloth]
body = "sheet"
integrator = "bdf2"
substeps = 2
iterations = 30
tolerance = 1e-5
drag = 1e-4
wind = [1.0, 0.0, 2.0]
gust = [0.0, 1.0, 0.0]
gust_coefficient = 1e-3
gust_period = 2.0
strain_limit = 0.1
strain_sweeps = 3
strain_order = "most-stretched-first"
thickness = 0.003
self_contact = false
[[constraint]]
kind = "plane"
set = "top-corners"
normal = [0.0, 0.0, 1.0]
[[constraint]]
kind = "sphere"
particles = [4, 7]
centre = [0.0, 1.0, 0.0]
[[constraint]]
low = [0.0, 0.0, 0.0]
high = [0.1, 0.1, 0.1]
[contact]
friction = 0.4
capacity = 100
[touch]
hand = "point"
radius = 2e-4
friction = 0.2
shading = "interpolated"
grab_button = 1
grab_reach = 0.01
grab_force = 1.0
grab_s = 0.2
slip_force = 4.0
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

CLOTH = """[source]
grid = { particles = [40, 30], size = [1.0, 0.8] }
origin = "centre"
[cloth]
springs = "three-kinds"
areal_density = 0.2
damping = 0.01
structural = { stiffness = 200.0, damping = 0.02 }
shear = { stiffness = 100.0 }
bend = { stiffness = 10.0 }
"""
BUCKLING = """[source]
mesh = "a.obj"
length = 0.3
[cloth]
springs = "choi-ko"
mass = 0.1
sequential = { stiffness = 80.0 }
interlaced = { stiffness = 60.0, damping = 0.0, flexural_rigidity = 2e-6 }
"""


def model(sections):
    """A user block; hashes are zero, the target corrects them. Sections: name, type, shape."""
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


def section_rows(tree):
    """Row and element type of each section, from the table itself."""
    text = (tree / "shared/artifact/sections.h").read_text()
    rows = re.findall(r'SectionInfo\{"([^"]+)", ElementType::k(\w+),', text)
    return {name: (row, {"Float32": "f", "Float64": "d", "Uint32": "I", "Uint8": "B"}[kind])
            for row, (name, kind) in enumerate(rows)}


def model_input(rows, scene, symbols, sections):
    """As ModelInput::parse reads it (tests/fuzz/model_input.h)."""
    out = bytes([scene]) + bytes(symbols.get(name, 0) for name in "nmGrkvtsTlNPDcKSQ")
    for name, values in sections.items():
        row, kind = rows[name]
        data = struct.pack(f"<{len(values)}{kind}", *values)
        out += struct.pack("<BBH", row, 0, len(data)) + data
    return out


def models(tree):
    """Bodies of a few points that make a world: an octahedron of 2 cm, rigid or with two modes."""
    rows, radius = section_rows(tree), 0.02
    axes = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    points = [radius * x for axis in axes for x in axis]
    inward = [-x for axis in axes for x in axis]

    def ball(n, half):
        h = 2 * half / n
        at = [i * h - half for i in range(n + 1)]
        return [math.sqrt(x * x + y * y + z * z) - radius for z in at for y in at for x in at], h

    field, h = ball(8, 0.04)
    coarse, coarse_h = ball(4, 0.04)
    shell = {"/surface/vertices": points, "/surface/triangles": [0, 2, 4, 1, 4, 2],
             "/shell/points": points, "/shell/normals": inward, "/shell/weights": [1, 1, 1, 1, 1, 1],
             "/shell/tree/level_begin": [0, 1, 7], "/shell/tree/point": [0, 0, 1, 2, 3, 4, 5],
             "/shell/tree/child_begin": [1] + [0] * 6, "/shell/tree/child_count": [6] + [0] * 6,
             "/shell/tree/radius": [0.05] + [0.0] * 6}
    dense = {"/field/values": field, "/field/frame": [-0.04, -0.04, -0.04, h, 0.0199]}
    rigid = {"/rigid/mass": [0.1], "/rigid/centre": [0, 0, 0], "/rigid/inertia": [1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5]}
    # Mode 1 lifts the whole body, mode 2 stretches it along x.
    blocks = [x for axis in axes for x in (0, axis[0], 1, 0, 0, 0)]
    gradient = [0, 1] + [0] * 16
    whole = {"quadratic": [4e4, 0, 9e4], "cubic": [0, 1e5, 0, 2e5], "quartic": [1e7, 0, 1e6, 0, 2e7]}
    reduced = {"/mesh/vertices": [x for i in range(8) for x in (i & 1, i >> 1 & 1, i >> 2)], "/mesh/elements": range(8),
               "/mesh/fixed": [0, 1], "/reduced/basis": [0.3, 0.0, 0.0, 0.3] * 12, "/reduced/eigenvalues": [4e4],
               **{f"/reduced/{part}": values for part, values in whole.items()},
               "/reduced/damping": [0.5, 1e-4], "/surface/basis": blocks,
               "/shell/displacement": blocks, "/shell/normal_correction": [0] * 36,
               "/shell/tree/modal_radius": [0.1] * 14}
    proxies = {"/field/proxies/points": points, "/field/proxies/displacement": blocks,
               "/field/proxies/gradients": gradient * 6}
    groups = {"/material/group": [0], "/material/names": b"rim".ljust(32, b"\0"), "/material/lame": [2.0, 1.0],
              "/material/density": [2.0], "/reduced/groups/mass": [0.5, 0, 0.5],
              **{f"/reduced/groups/{part}": [0.25 * x for x in values] + [0.5 * x for x in values]
                 for part, values in whole.items()}}
    viscous = {"/reduced/viscous/linear": [1, 0, 1], "/reduced/viscous/mixed": [0.1] * 6,
               "/reduced/viscous/quadratic": [1, 0, 0, 1, 0, 1], "/reduced/storage": [4]}
    domains = {"/field/domains/values": coarse * 2, "/field/domains/frame": [-0.04, -0.04, -0.04, coarse_h, 0.0199] * 2,
               "/field/proxies/domain": [0, 0, 0, 1, 1, 1]}
    of_shell, of_body = dict(v=6, t=2, s=6, T=7, l=2), dict(n=8, m=1, r=2, k=1, G=1)
    soft = shell | reduced
    # The lower face of the element is fixed; a vertex at (x, y, z) has the shape functions of a cube around it.
    fixed, corners = 0xffffffff, [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    condensed = {
        "/surface/vertices": points,
        "/surface/triangles": [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5],
        "/mesh/vertices": reduced["/mesh/vertices"], "/mesh/elements": range(8), "/mesh/fixed": [0, 1, 2, 3],
        "/condensed/nodes": [4, 5, 6, 7],
        "/condensed/compliance/double": [2e-3 if i == j else 1e-4 for i in range(12) for j in range(12)],
        "/condensed/modes": [0.3, 0.0, 0.0, 0.3, 0.1, 0.1] * 4, "/condensed/eigenvalues": [4e4, 9e4],
        "/condensed/damping": [0.5, 1e-4], "/condensed/embedding/nodes": [fixed] * 4 + [0, 1, 2, 3],
        "/condensed/embedding/weights": [math.prod(0.5 * (1 + a * b) for a, b in zip(axis, corner))
                                         for axis in axes for corner in corners]}
    # A square cut along a diagonal, with a triangle at a side: six structural, two shear, one bend spring.
    cloth = {
        "/surface/vertices": [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1.5, 0.5, 0],
        "/surface/triangles": [0, 1, 2, 0, 2, 3, 1, 4, 2],
        "/cloth/masses": [0.1] * 5, "/cloth/quads": [0, 1, 2, 3],
        "/cloth/springs/particles": [0, 1, 0, 3, 1, 2, 1, 4, 2, 3, 2, 4, 0, 2, 1, 3, 0, 4],
        "/cloth/springs/kind": [0] * 6 + [1] * 2 + [2], "/cloth/springs/rest": [1.0] * 9,
        "/cloth/springs/stiffness": [200.0] * 9, "/cloth/springs/damping": [0.1] * 9,
        "/cloth/springs/bending": [0.0] * 9}
    # The same square as a grid of 2 x 2, whose particles go by rows.
    grid = {
        "/surface/vertices": [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0], "/surface/triangles": [0, 1, 3, 0, 3, 2],
        "/cloth/masses": [0.1] * 4, "/cloth/quads": [0, 1, 3, 2], "/cloth/grid": [2, 2],
        "/cloth/springs/particles": [0, 1, 0, 2, 1, 3, 2, 3, 0, 3, 1, 2], "/cloth/springs/kind": [3] * 6,
        "/cloth/springs/rest": [1.0] * 6, "/cloth/springs/stiffness": [80.0] * 6, "/cloth/springs/damping": [0.0] * 6,
        "/cloth/springs/bending": [1e-6] * 6}
    of_condensed = dict(v=6, t=8, n=8, m=1, c=4, K=2)
    return {
        "cloth": model_input(rows, 0, dict(v=5, t=3, S=9, Q=1), cloth),
        "cloth-grid": model_input(rows, 0, dict(v=4, t=2, S=6, Q=1), grid),
        **{f"cloth-{name}": model_input(rows, 240 + number, dict(v=5, t=3, S=9, Q=1), cloth)
           for number, name in ((0, "gesture"), (1, "tool"), (2, "explicit"), (4, "sphere"), (5, "filter"))},
        "cloth-lines": model_input(rows, 243, dict(v=4, t=2, S=6, Q=1), grid),
        "condensed-stylus": model_input(rows, 192, of_condensed, condensed),
        "condensed-ball": model_input(rows, 193, of_condensed, condensed),
        "condensed-statics": model_input(rows, 194, of_condensed, condensed),
        "condensed-stick": model_input(rows, 195, of_condensed, condensed),
        "rigid-held": model_input(rows, 5, of_shell | dict(N=8), shell | dense | rigid),
        "rigid-both": model_input(rows, 7, of_shell | dict(N=8), shell | dense | rigid),
        "soft": model_input(rows, 0, of_shell | of_body, soft),
        "soft-viscous": model_input(rows, 1, of_shell | of_body, soft | viscous),
        "soft-modal": model_input(rows, 2, of_shell | of_body, soft),
        "soft-groups": model_input(rows, 3, of_shell | of_body, soft | groups),
        "soft-explicit": model_input(rows, 4, of_shell | of_body, soft | groups | viscous),
        "soft-field": model_input(rows, 6, of_shell | of_body | dict(N=8, P=6), soft | dense | proxies),
        "soft-domains": model_input(rows, 6, of_shell | of_body | dict(N=4, P=6, D=2), soft | proxies | domains)}


def sparse_grids():
    """Edits of a good grid: resolution, then (where, how, offset, value) for each."""
    def edits(*rows):
        return b"".join(struct.pack("<BBIQ", *row) for row in rows)

    seeds = {f"resolution-{i}": bytes([i]) for i in (0, 1, 2, 4, 250)}
    for where in range(11):
        seeds[f"set-{where}"] = bytes([0]) + edits((where, 2, 8, 0x7fc00000), (where, 3, 16, 2**63))
        seeds[f"turn-{where}"] = bytes([0]) + edits((where, 8, 5, 3), (where, 15, 24, 1))
    seeds["cut"] = bytes([0]) + edits((1, 3, 0, 64)) + bytes([200])
    return seeds


def black_boxes():
    """Edits of a good black box: what happens to it, then (where, how, offset, value) for each; a length."""
    def edits(*rows):
        return b"".join(struct.pack("<BBIQ", *row) for row in rows)

    seeds = {f"whole-{how}": bytes([how]) for how in (0, 1)}
    for where in range(12):
        seeds[f"set-{where}"] = bytes([1]) + edits((where, 3, 0, 2**63), (where, 2, 24, 0x7fc00000))
        seeds[f"turn-{where}"] = bytes([where % 2]) + edits((where, 8, 5, 3), (where, 11, 24, 1))
        seeds[f"text-{where}"] = bytes([1]) + edits((where, 0, 3, 0x0a))
    for length in (0, 1, 128, 255):
        seeds[f"cut-{length}"] = bytes([2, length])
        seeds[f"cut-sealed-{length}"] = bytes([3, length])
    return seeds


def logs():
    """Edits of a good log: which one, then (kind, how, where, number, value) for each."""
    def edits(*rows):
        return b"".join(struct.pack("<BBHIQ", *row) for row in rows)

    number = struct.Struct("<d")

    def real(value):
        return int.from_bytes(number.pack(value), "little")

    seeds = {f"whole-{which}": bytes([which]) for which in (0, 1)}
    for which in (0, 1):
        for how in (0, 1, 4, 5, 8 | 1, 8 | 4, 8 | 5, 16 | 8 | 1, 32 | 1):
            seeds[f"attributes-{which}-{how}"] = bytes([which]) + edits(*((0, how, w, w, real(1e9)) for w in range(4)))
        for layout in range(4):
            for rank in range(4):
                shape = 0 | 1 << 4 | rank << 20 | layout << 22 | 3 << 24 | 4 << 12
                seeds[f"dataset-{which}-{layout}-{rank}"] = bytes([which]) + edits((1, rank, 7 * rank, shape, 300))
        for value in (float("nan"), float("inf"), -1.0, 1e18):
            seeds[f"value-{which}-{value}"] = bytes([which]) + edits(*((2, 0, w, w, real(value)) for w in range(0, 60, 6)))
        for how in range(5):
            seeds[f"link-{which}-{how}"] = bytes([which]) + edits((3, how, 9, 4, 0), (4, how, 3, 1, 0))
        for at in (8, 9, 40, 100, 2000, 5000, 9000):
            seeds[f"bytes-{which}-{at}"] = bytes([which]) + edits((5, 5, 0, at, 0xffff), (5, 0, 0, 3 * at, 3))
            seeds[f"cut-{which}-{at}"] = bytes([which]) + edits((5, 7, 0, 4 * at, 0))
    return seeds


def command(kind, value=0.0, key=b"", connection=0):
    """A step of the target `commands`: one whole command, cut after its key."""
    whole = struct.pack("<IId64s", kind, 0, value, key)
    return bytes([1 << 2 | connection, len(whole)]) + whole


TURN, HANG_UP = bytes([3 << 2]), bytes([2 << 2])


def packet(values, last, flags=ord("A")):
    nibbles = b"".join(bytes(ord("A") + (v >> shift & 15) for shift in (0, 4, 8, 12)) for v in values)
    return b"<" + nibbles + bytes([flags, last]) + b">"


CUBE = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
TRIANGLES = [t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))]


def obj_surfaces():
    vertices = "".join("v %g %g %g\n" % v for v in CUBE)
    quads = "".join("f %s\n" % " ".join("%d/%d" % (i + 1, i + 1) for i in side) for side in SIDES)
    triangles = "".join("f -%d -%d -%d # side\n" % tuple(8 - i for i in t) for t in TRIANGLES)
    inner = "".join("v %.6f %.6f %.6f\n" % tuple(0.25 + 0.5 * x for x in v) for v in CUBE)
    seam = "v 1.234567 0 0\nv 0 1.2 0\nv 0 0 1.5\nv 0 1.2000001 0\nf 1 2 3\nf 1 4 -2\n"
    star = "".join("v %g %g 0\n" % (math.cos(2.2 * i) * (1 + i % 2), math.sin(2.2 * i)) for i in range(9))
    return {"quads": (vertices + "vt 0 0\ng a \\\n" + quads).encode(),
            "triangles": (vertices + triangles).encode(),
            "nested": (vertices + triangles + inner + triangles).encode(),
            "seam": seam.encode(), "star": (star + "f 1 2 3 4 \\\n5 6 7 8 9\n").encode(),
            "early": ("\xef\xbb\xbf".encode("latin-1") + ("f 1 2 3\r\n" + vertices).encode())}


def stl_surfaces():
    text = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % CUBE[i] for i in t) +
                   "endloop\nendfacet\n" for t in TRIANGLES)
    binary = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for i in t for x in CUBE[i]), 0) for t in TRIANGLES)
    header = struct.pack("<80sI", b"solid cube", len(TRIANGLES))
    return {"text": f"solid cube\n{text}endsolid cube\n".encode(), "upper": f"SOLID\r\n{text}ENDSOLID".upper().encode(),
            "two": f"solid a\n{text}endsolid\nsolid b\n{text}endsolid".encode(), "binary": header + binary,
            "more": header + binary + bytes(16)}


def ply_surfaces():
    def header(form, vertex="float", count="uchar", index="int", element="face", faces=len(TRIANGLES), more=""):
        return (f"ply\nformat {form} 1.0\ncomment seed\nelement vertex 8\nproperty {vertex} x\nproperty {vertex} y\n"
                f"property {vertex} z\n{more}element {element} {faces}\nproperty list {count} {index} vertex_indices\n"
                "end_header\n").encode()
    rows = "".join("%g %g %g\n" % v for v in CUBE)
    faces = "".join("3 %d %d %d\n" % t for t in TRIANGLES)
    little = b"".join(struct.pack("<3d", *v) for v in CUBE) + b"".join(struct.pack("<B3i", 3, *t) for t in TRIANGLES)
    big = b"".join(struct.pack(">3f", *v) for v in CUBE) + b"".join(struct.pack(">H3H", 3, *t) for t in TRIANGLES)
    return {"text": header("ascii") + (rows + faces).encode(),
            "colours": header("ascii", more="property list int int n\nproperty uchar red\n") +
            ("".join("%g %g %g 2 7 7 200\n" % v for v in CUBE) + faces).encode(),
            "little": header("binary_little_endian", "double") + little,
            "big": header("binary_big_endian", count="ushort", index="ushort") + big,
            "strips": header("ascii", count="int", element="tristrips", faces=1) + (rows + "9 0 1 2 3 -1 4 5 6 7").encode()}


NODES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
TETRAHEDRA = [(1, 2, 3, 4), (2, 3, 4, 5)]
GMSH_NAMES = '$PhysicalNames\n2\n3 1 "body"\n2 2 "clamp"\n$EndPhysicalNames\n'


def gmsh_volumes():
    def rows(values):
        return "".join(" ".join(f"{x:g}" for x in row) + "\n" for row in values)
    head = "$MeshFormat\n{} 0 8\n$EndMeshFormat\n"
    nodes = [(i + 1, *v) for i, v in enumerate(NODES)]
    old = (head.format("2.2") + GMSH_NAMES + f"$Nodes\n5\n{rows(nodes)}$EndNodes\n$Elements\n4\n1 15 2 0 1 1\n"
           + "2 2 2 2 1 1 2 3\n" + rows([(3 + i, 4, 2, 1, 1, *t) for i, t in enumerate(TETRAHEDRA)]) + "$EndElements\n")
    new = (head.format("4.1") + GMSH_NAMES + "$Entities\n0 0 1 1\n1 0 0 0 1 1 1 1 2 0\n1 0 0 0 1 1 1 1 1 1 1\n"
           "$EndEntities\n$Nodes\n1 5 1 5\n3 1 0 5\n" + rows((i + 1,) for i in range(5)) + rows(NODES) + "$EndNodes\n"
           "$Elements\n2 3 1 3\n2 1 2 1\n3 1 2 3\n3 1 4 2\n" + rows((1 + i, *t) for i, t in enumerate(TETRAHEDRA))
           + "$EndElements\n")
    binary_head = b"$MeshFormat\n%s 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n"
    old_binary = (binary_head % b"2.2" + b"$Nodes\n5\n" + b"".join(struct.pack("<i3d", *n) for n in nodes)
                  + b"\n$EndNodes\n$Elements\n2\n" + struct.pack("<3i", 4, 2, 2)
                  + b"".join(struct.pack("<7i", 1 + i, 1, 1, *t) for i, t in enumerate(TETRAHEDRA)) + b"\n$EndElements\n")
    new_binary = (binary_head % b"4.1" + b"$Entities\n" + struct.pack("<4Q", 0, 0, 0, 1)
                  + struct.pack("<i6dQiQ", 1, 0, 0, 0, 1, 1, 1, 1, 1, 0) + b"\n$EndEntities\n$Nodes\n"
                  + struct.pack("<4Q3iQ", 1, 5, 1, 5, 3, 1, 0, 5) + struct.pack("<5Q", *range(1, 6))
                  + b"".join(struct.pack("<3d", *v) for v in NODES) + b"\n$EndNodes\n$Elements\n"
                  + struct.pack("<4Q3iQ", 1, 2, 1, 2, 3, 1, 4, 2)
                  + b"".join(struct.pack("<5Q", 1 + i, *t) for i, t in enumerate(TETRAHEDRA)) + b"\n$EndElements\n")
    return {"2.2": old.encode(), "4.1": new.encode(), "2.2-binary": old_binary, "4.1-binary": new_binary,
            "1": b"$NOD\n1\n1 0 0 0\n$ENDNOD\n"}


def medit_volumes():
    vertices = "".join("%g %g %g 0\n" % v for v in NODES)
    elements = "".join("%d %d %d %d 1\n" % t for t in TETRAHEDRA)
    mesh = f"Dimension 3\nVertices\n5\n{vertices}Tetrahedra\n2\n{elements}"
    return {"text": f"MeshVersionFormatted 2\n{mesh}End\n".encode(),
            "faces": f"MeshVersionFormatted 1 # seed\n{mesh}Triangles 1 1 2 3 7\nCorners 2 1 2\nEnd".encode()}


def seeds(tree):
    scenes = {p.parent.name + "-" + p.name: p.read_bytes() for p in sorted(tree.glob("scenes/*/*scene*.toml"))}
    recipes = {p.parent.name + "-" + p.name: p.read_bytes() for p in sorted(tree.glob("scenes/*/*.toml"))
               if "scene" not in p.name}
    yield "scene", scenes | {"shapes": SHAPES.encode(), "cloth": CLOTH_SCENE.encode(),
                             "packaged": (tree / "packaging/scene.toml").read_bytes()}
    yield "recipe", recipes | {"all": RECIPE.encode(), "cloth": CLOTH.encode(), "buckling": BUCKLING.encode()}
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
    yield "model", models(tree)
    yield "sparse_grid", sparse_grids()
    yield "black_box", black_boxes()
    yield "log", logs()
    yield "obj", obj_surfaces()
    yield "stl", stl_surfaces()
    yield "ply", ply_surfaces()
    yield "msh", gmsh_volumes()
    yield "medit", medit_volumes()
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

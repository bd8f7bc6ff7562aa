#!/usr/bin/env python3
"""Writes scenes/chains/scene.toml: chains of perforated plates that tumble into a trough; a paddle in the hand.

usage: make_chains.py [CHAINS [FILE]]    (default: 6, chains/scene.toml beside this script)

Chains of three and of two plates take turns; hinges connect the plates of a chain. Six chains run in the daemon. 64,
of 160 plates and 96 hinges, are for `haptic simulate`: a step takes tens of milliseconds.
"""
import math
import pathlib
import sys

sys.dont_write_bytecode = True
from scene_text import HAND, free_body, text  # noqa: E402

PITCH = 0.045            # m, from plate to plate; a plate is 40 mm long
ROOM = (0.14, 0.05)      # m, of one chain at the start: along z and up
SPREAD = 0.10            # m, between two chains of a layer
START = 0.10             # m, height of the lowest chains
SMALL = 12               # chains; more are not for the daemon
SLOPE = math.radians(25.0)    # of both sides of the trough

HEAD = """# Made by make_chains.py. {chains} chains of {plates} plates tumble into a trough; a paddle pushes them.
defaults = 2
rate_hz = 1000
length_scale = 1.0
gravity = [0.0, -9.81, 0.0]     # m/s^2
[[body]]
name = "paddle"
model = "paddle.h5"
role = "held"
position = [0.0, 0.06, {paddle:.3f}]
"""
SIDE = """[[body]]
name = "{name}"
shape = "plane"
size = {size:.2f}                     # m, the square that is drawn
role = "anchored"
position = [{x:.6f}, {y:.6f}, 0.0]
orientation = [{orientation}]
"""
HINGE = """[[joint]]
name = "hinge{number}"
type = "hinge"
bodies = ["plate{first}", "plate{second}"]
point = [{point}]
axis = [{axis}]
"""
TWO_WAY = """two_way = true                  # corners of each plate in the others
"""
DYNAMICS = """[dynamics]
pair_capacity = {capacity}            # of all pairs of plates, those that are close share the memory of so many
"""
TAIL = """[[contact]]
among = "free"                  # plates with each other, but not with their neighbours on a hinge; trough and paddle
{ways}stiffness = 5000.0              # N/m per point
damping = 20.0                  # s/m
friction = {{ static = 0.3, dynamic = 0.25 }}
"""


def product(a, b):
    """Of two quaternions w, x, y, z."""
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


def turned(q, v):
    w = product(product(q, (0.0, *v)), (q[0], -q[1], -q[2], -q[3]))
    return w[1:]


def about(axis, angle):
    return (math.cos(angle / 2), *(math.sin(angle / 2) * a for a in axis))


def side(name, direction, size):
    """One side of the trough, which rises in the direction -1 or 1 of x."""
    slope = direction * SLOPE
    q = product(about((0.0, 0.0, 1.0), slope), (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0))
    x = 0.5 * size * direction
    return SIDE.format(name=name, size=size, x=x * math.cos(SLOPE), y=abs(x) * math.sin(SLOPE),
                       orientation=text(q, 9))


def chain(number, middle, plates, first):
    """The bodies and hinges of a chain about its middle, tilted and turned differently from chain to chain."""
    tilt, turn = 0.25 * math.sin(1.7 * number), math.pi / 2 + 0.35 * math.cos(2.3 * number)
    q = product(about((0.0, 1.0, 0.0), turn), about((0.0, 0.0, 1.0), tilt))

    def at(offset):
        return [m + d for m, d in zip(middle, turned(q, (offset, 0.0, 0.0)))]

    bodies, hinges = [], []
    for i in range(plates):
        offset = PITCH * (i - 0.5 * (plates - 1))
        bodies.append(free_body(f"plate{first + i}", "plate", at(offset), q, decimals=(12, 12)))
        if i == 0:
            continue
        hinges.append(HINGE.format(number=first + i, first=first + i - 1, second=first + i,
                                   point=text(at(offset - 0.5 * PITCH), 12),
                                   axis=text(turned(q, (0.0, 0.0, 1.0)), 12)))
    return bodies, hinges


def scene(chains):
    along = max(1, round((chains / 6) ** (1 / 3)))        # chains of a layer along the trough,
    across = min(chains, 3 * along)                       # and across it
    bodies, hinges = [], []
    for number in range(chains):
        layer, place = divmod(number, along * across)
        row, column = divmod(place, across)
        middle = (SPREAD * (column - 0.5 * (across - 1)), 0.0, ROOM[0] * (row - 0.5 * (along - 1)))
        middle = (middle[0], START + ROOM[1] * layer + abs(middle[0]) * math.tan(SLOPE), middle[2])
        more, between = chain(number, middle, 3 - number % 2, len(bodies))
        bodies += more
        hinges += between
    size = max(0.3, 0.5 * SPREAD * across + 0.04, ROOM[0] * along + 0.1)
    small = chains <= SMALL
    head = HEAD.format(chains=chains, plates=len(bodies), paddle=0.14 + 0.5 * ROOM[0] * (along - 1))
    return "".join([head, side("left", -1, size), side("right", 1, size), *bodies, *hinges,
                    TAIL.format(ways="" if small else TWO_WAY), HAND.format(coupling=""),
                    "" if small else DYNAMICS.format(capacity=50 * len(bodies))])


def main():
    chains = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    folder = pathlib.Path(__file__).parent / "chains"
    file = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "scene.toml"
    if not 1 <= chains <= 64:
        sys.exit(f"make_chains.py: found {chains} chains, expected 1 to 64")
    file.write_text(scene(chains), encoding="utf-8")


if __name__ == "__main__":
    main()

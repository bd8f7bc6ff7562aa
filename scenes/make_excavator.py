#!/usr/bin/env python3
"""Writes scenes/excavator/scene.toml: an arm of hinged bodies whose bucket is in the hand, and rocks on the ground.

usage: make_excavator.py [ROCKS [FILE]]    (default: 12, excavator/scene.toml beside this script)

The cab turns about y; boom, stick and bucket turn about z. A rocker on the stick and a rod from it to the bucket close
a loop. x is forward, y up, z to the right; metres.
"""
import math
import pathlib
import sys

sys.dont_write_bytecode = True
from scene_text import HAND, free_body  # noqa: E402

CAB = (-0.21, 0.03, 0.0)         # middle of the cab
BOOM = (-0.21, 0.06, 0.0)        # pivots: of the boom on the cab,
STICK = (-0.10, 0.19, 0.0)       # of the stick on the boom,
BUCKET = (-0.028, 0.092, 0.0)    # of the bucket on the stick,
ROCKER = (-0.0576, 0.1323, 0.018)    # of the rocker on the stick,
ROD = (-0.0244, 0.1546, 0.018)       # of the rod on the rocker,
EAR = (-0.0034, 0.1092, 0.018)       # of the rod on the bucket: the loop closes at any angle of the bucket
BUCKET_BOTTOM = (0.0, 0.06, 0.0)

HEAD = """# Made by make_excavator.py. An arm of hinged bodies; its bucket, in the hand, digs among {count} rocks.
defaults = 2
rate_hz = 1000
length_scale = 1.0
gravity = [0.0, -9.81, 0.0]     # m/s^2
[[body]]
name = "ground"
shape = "plane"
size = 0.4                      # m, the square that is drawn
role = "anchored"
position = [-0.06, 0.0, 0.0]
orientation = [0.707106781, -0.707106781, 0.0, 0.0]     # its upper side is y > 0
[[body]]
name = "bank"
shape = "box"
x = 0.02                        # m
y = 0.05
z = 0.16
role = "anchored"
position = [0.105, 0.025, 0.0]
[[body]]
name = "bucket"
model = "bucket.h5"
role = "held"
position = [{x}, {y}, {z}]
"""
HINGE = """[[joint]]
name = "{name}"
type = "hinge"
bodies = ["{first}", "{second}"]
point = [{x}, {y}, {z}]
axis = {axis}
"""
TAIL = """[[contact]]
among = "free"                  # rocks with each other, the ground, the bucket and the arm
stiffness = 3000.0              # N/m per point
damping = 20.0                  # s/m
friction = { static = 0.6, dynamic = 0.5 }
"""


def bar(name, start, end):
    """A bar of the model `name` whose middle is halfway, its x axis from start to end."""
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    return free_body(name, name, [0.5 * (a + b) for a, b in zip(start, end)],
                     (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)))


def hinge(name, first, second, point, axis="[0.0, 0.0, 1.0]"):
    return HINGE.format(name=name, first=first, second=second, x=point[0], y=point[1], z=point[2], axis=axis)


def rock(number):
    """Rocks and pebbles lie in rows in front of the bucket, each turned about y by another angle."""
    row, place = divmod(number, 5)
    angle = math.sin(2.1 * number)
    model, height = ("rock", 0.0055) if number % 2 == 0 else ("pebble", 0.006)
    return free_body(f"{model}{number}", model, (0.03 + 0.015 * row, height, 0.015 * (place - 2)),
                     (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0))


def scene(rocks):
    parts = [HEAD.format(count=rocks, x=BUCKET_BOTTOM[0], y=BUCKET_BOTTOM[1], z=BUCKET_BOTTOM[2])]
    parts.append(free_body("cab", "cab", CAB, (1.0, 0.0, 0.0, 0.0)))
    parts += [bar("boom", BOOM, STICK), bar("stick", STICK, BUCKET), bar("rocker", ROCKER, ROD), bar("rod", ROD, EAR)]
    parts += [rock(number) for number in range(rocks)]
    parts.append(hinge("swing", "world", "cab", CAB, "[0.0, 1.0, 0.0]"))
    for name, first, second, point in (("lift", "cab", "boom", BOOM), ("reach", "boom", "stick", STICK),
                                       ("curl", "stick", "bucket", BUCKET), ("lever", "stick", "rocker", ROCKER),
                                       ("push", "rocker", "rod", ROD), ("ear", "rod", "bucket", EAR)):
        parts.append(hinge(name, first, second, point))
    parts += [TAIL, HAND.format(coupling="")]
    return "".join(parts)


def main():
    rocks = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    folder = pathlib.Path(__file__).parent / "excavator"
    file = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "scene.toml"
    if not 0 <= rocks <= 200:
        sys.exit(f"make_excavator.py: found {rocks} rocks, expected 0 to 200")
    file.write_text(scene(rocks), encoding="utf-8")


if __name__ == "__main__":
    main()

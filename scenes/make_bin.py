#!/usr/bin/env python3
"""Writes scenes/bin/scene.toml: free bodies that fall into a bowl and are stirred by a ball in the hand.

usage: make_bin.py [BODIES [FILE]]    (default: 20, bin/scene.toml beside this script)

The bodies start in layers of a square grid above the bowl, turned a little, so that they do not overlap.
"""
import math
import pathlib
import sys

sys.dont_write_bytecode = True
from scene_text import HAND, free_body  # noqa: E402

KINDS = ("die", "marble", "ring")
SPACING = 0.036          # m, larger than the longest diagonal of a body
COLUMNS = 4              # bodies along each side of a layer
FIRST_LAYER = 0.10       # m, height of the lowest layer

HEAD = """# Made by make_bin.py. {count} free bodies fall into a bowl; a ball in the hand stirs them.
defaults = 2
rate_hz = 1000
length_scale = 1.0
gravity = [0.0, -9.81, 0.0]     # m/s^2
[[body]]
name = "bowl"
model = "bowl.h5"
role = "anchored"
[[body]]
name = "stirrer"
model = "stirrer.h5"
role = "held"
position = [0.0, 0.06, 0.0]     # m, above the bottom of the bowl
"""
TAIL = """[[contact]]
among = "free"                  # every pair of two free bodies, or of a free one and another
stiffness = 2000.0              # N/m per point
damping = 20.0                  # s/m
friction = { static = 0.4, dynamic = 0.3 }
"""


def quaternion(number):
    """Turns of up to a radian about axes that differ from body to body, not at random: a scene is a fixed text."""
    angle = 0.5 * math.sin(1.7 * number)
    axis = [math.cos(2.3 * number), math.sin(2.3 * number), math.cos(0.9 * number)]
    length = math.sqrt(sum(a * a for a in axis))
    return [math.cos(angle)] + [math.sin(angle) * a / length for a in axis]


def scene(count):
    parts = [HEAD.format(count=count)]
    for number in range(count):
        layer, place = divmod(number, COLUMNS * COLUMNS)
        row, column = divmod(place, COLUMNS)
        middle = 0.5 * (COLUMNS - 1)
        kind = KINDS[number % len(KINDS)]
        place = (SPACING * (column - middle), FIRST_LAYER + SPACING * layer, SPACING * (row - middle))
        parts.append(free_body(f"{kind}{number}", kind, place, quaternion(number), decimals=(4, 6)))
    parts += [TAIL, HAND.format(coupling="")]
    return "".join(parts)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    file = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "bin" / "scene.toml"
    if not 1 <= count <= 500:
        sys.exit(f"make_bin.py: found {count} bodies, expected 1 to 500")
    file.write_text(scene(count), encoding="utf-8")


if __name__ == "__main__":
    main()

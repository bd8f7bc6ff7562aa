#!/usr/bin/env python3
"""Writes hand.csv of the shipped scenes: minimum-jerk motion through waypoints.

A waypoint is (time s, x, y, z mm, rotation vector x, y, z degrees) in the device frame; between two
waypoints position and rotation vector follow 10 s^3 - 15 s^4 + 6 s^5, so the hand rests at each.
"""
import math
import pathlib

ROWS_PER_SECOND = 50

SCENES = {
    # The ball goes down into the bowl of the spoon, bends it, sways, presses a rim and leaves.
    "spoon_ball": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.5, 0, -48, 0, 0, 0, 0),
        (3.0, 0, -90, 0, 0, 0, 0),
        (4.5, 0, -85, -18, 0, 15, 0),
        (6.0, 0, -85, 18, 0, -15, 0),
        (7.0, 0, -75, 0, 0, 0, 0),
        (8.5, 0, -20, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # The box sets down on the top chords, presses the span, slides along it, tilts and leaves.
    "bridge_box": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.5, 0, -36, 0, 0, 0, 0),
        (3.0, 0, -54, 0, 0, 0, 0),
        (4.5, 40, -52, 0, 0, 0, 0),
        (6.5, -40, -52, 0, 0, 0, 0),
        (7.5, 0, -50, 0, 6, 0, 0),
        (8.5, 0, -30, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # The bolt goes into the free end of the hose, levers it down, aside and up, and leaves.
    "hose_bolt": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (2.0, -70, 0, 0, 0, 0, 0),
        (3.5, -70, -32, 0, 0, 0, -8),
        (5.0, -70, -14, -26, 0, 6, -4),
        (6.5, -70, 6, 26, 0, -6, 0),
        (7.5, -70, 0, 0, 0, 0, 0),
        (9.0, 0, 0, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
}


def at(waypoints, time):
    for before, after in zip(waypoints, waypoints[1:]):
        if time <= after[0]:
            s = (time - before[0]) / (after[0] - before[0])
            w = s**3 * (10 - 15 * s + 6 * s * s)
            return [a + w * (b - a) for a, b in zip(before[1:], after[1:])]
    return list(waypoints[-1][1:])


def quaternion(rotation_degrees):
    x, y, z = (math.radians(a) for a in rotation_degrees)
    angle = math.sqrt(x * x + y * y + z * z)
    scale = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), scale * x, scale * y, scale * z


def main():
    folder = pathlib.Path(__file__).parent
    for scene, waypoints in SCENES.items():
        lines = ["time_s,x_m,y_m,z_m,qw,qx,qy,qz"]
        rows = round(waypoints[-1][0] * ROWS_PER_SECOND)
        for i in range(rows + 1):
            time = i / ROWS_PER_SECOND
            values = at(waypoints, time)
            pose = [1e-3 * v for v in values[:3]] + list(quaternion(values[3:]))
            lines.append(f"{time:.2f}," + ",".join(f"{v + 0.0:.7g}" for v in pose))
        (folder / scene / "hand.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the hand scripts of the shipped scenes: minimum-jerk motion through waypoints.

A waypoint is (time s, x, y, z mm, rotation vector x, y, z degrees) in the device frame; between two
waypoints position and rotation vector follow 10 s^3 - 15 s^4 + 6 s^5, so the hand rests at each. An eighth
number is the buttons that are pressed from there on, one bit for each.
"""
import math
import pathlib

SHORT_HANDS = {
    # The ball waits until the bodies have fallen on it, then stirs them in a circle.
    "bin": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.5, 0, 0, 0, 0, 0, 0),
        (3.0, 40, -5, 0, 0, 0, 0),
        (4.5, 0, -5, 40, 0, 0, 0),
        (6.0, -40, -5, 0, 0, 0, 0),
        (7.5, 0, -5, -40, 0, 0, 0),
        (9.0, 40, 0, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # The paddle presses the cube, leaves, comes down beside it, pushes it against the ring and leaves.
    "jelly": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.5, 0, -50, 0, 0, 0, 0),
        (2.5, 10, -50, 0, 0, 0, -10),
        (3.5, 0, -15, 0, 0, 0, 0),
        (4.5, -55, -15, 0, 0, 0, 0),
        (5.5, -55, -60, 0, 0, 0, 0),
        (7.5, 15, -60, 0, 0, 0, 0),
        (8.5, -20, -60, 0, 0, 0, 0),
        (9.3, -20, 0, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # The gripper comes down over the ball, closes (button 1), carries it aside and sets it down; then the cube.
    "gripper": [
        (0.0, 0, 0, 0, 0, 0, 0, 0),
        (1.3, 0, -63, 0, 0, 0, 0, 2),
        (2.0, 0, -63, 0, 0, 0, 0, 2),
        (2.8, 0, -15, 0, 0, 0, 0, 2),
        (3.6, -50, -15, 0, 0, 0, 0, 2),
        (4.3, -50, -61, 0, 0, 0, 0, 0),
        (5.0, -50, -61, 0, 0, 0, 0, 0),
        (5.7, -50, 0, 0, 0, 0, 0, 0),
        (6.7, 90, 0, 0, 0, 0, 0, 0),
        (7.5, 90, -62, 0, 0, 0, 0, 2),
        (8.2, 90, -62, 0, 0, 0, 0, 2),
        (9.0, 90, -20, 0, 0, 0, 0, 2),
        (9.8, 50, -20, 0, 0, 30, 0, 2),
        (10.6, 50, -61, 0, 0, 30, 0, 0),
        (11.2, 50, -61, 0, 0, 30, 0, 0),
        (12.0, 0, 0, 0, 0, 0, 0, 0),
    ],
    # The driver presses on the bolt and turns it in (button 1), waits at the end, turns it out again and leaves.
    "hexbolt": [
        (0.0, 0, 0, 0, 0, 0, 0, 0),
        (0.5, 0, -4, 0, 0, 0, 0, 2),
        (4.7, 0, -24, 0, 0, 0, 0, 2),
        (6.7, 0, -24, 0, 0, 0, 0, 0),
        (7.5, 0, -24, 0, 0, 0, 0, 0),
        (11.7, 0, -4, 0, 0, 0, 0, 0),
        (12.5, 0, 0, 0, 0, 0, 0, 0),
        (13.5, 0, 30, 0, 0, 0, 0, 0),
        (14.0, 0, 30, 0, 0, 0, 0, 0),
    ],
    # The ball waits until the bowls have fallen, pushes over the stack, goes down beside it and moves the bowls aside.
    "bowls": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, 0, 0, 0, 0, 0),
        (2.5, 55, 0, 0, 0, 0, 0),
        (3.5, 55, 0, 0, 0, 0, 0),
        (4.5, 0, 0, -60, 0, 0, 0),
        (5.5, 80, -110, -60, 0, 0, 0),
        (6.0, 150, -120, -60, 0, 0, 0),
        (8.0, 150, -120, 20, 0, 0, 0),
        (9.0, 90, -60, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # The paddle waits until the chains have fallen, pushes the heap along the trough and comes back above it.
    "chains": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, 0, 0, 0, 0, 0),
        (2.0, 0, -25, 0, 0, 0, 0),
        (4.0, 0, -25, -90, 0, 0, 0),
        (5.0, 30, -20, -90, 0, 20, 0),
        (6.0, -30, -20, -90, 0, -20, 0),
        (7.5, 0, 60, -90, 0, 0, 0),
        (8.5, 0, 60, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # The bucket goes forward and down, scoops up rocks, lifts them, swings aside and empties itself.
    "excavator": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.2, -45, 0, 0, 0, 0, -80),
        (2.0, -45, -35, 0, 0, 0, -80),
        (4.5, 55, -36, 0, 0, 0, -80),
        (5.8, 52, -30, 0, 0, 0, -5),
        (6.8, 20, 30, 0, 0, 0, 0),
        (8.0, 10, 30, -60, 0, 14, 0),
        (8.7, 10, 30, -60, 0, 14, -140),
        (9.2, 10, 30, -60, 0, 14, -140),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
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

# Of the scenes in cloth/, which share a folder.
CLOTH_HANDS = {
    # Behind the open end of the curtain, then along the rail, and back.
    "hand_curtain": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 20, 0, -60, 0, 0, 0),
        (2.0, 20, 0, -110, 0, 0, 0),
        (3.0, -120, 0, -110, 0, 0, 0),
        (4.5, -170, 0, -60, 0, 0, 0),
        (5.5, -120, 0, -60, 0, 0, 0),
        (7.0, 20, 0, -60, 0, 0, 0),
        (8.0, 20, 0, 0, 0, 0, 0),
        (10.0, 0, 0, 0, 0, 0, 0),
    ],
    # Presses on the table, strokes, takes the edge of the cloth, pulls it off the table and lets it fall.
    "hand_table": [
        (0.0, 0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, -22, 0, 0, 0, 0, 0),
        (2.0, 30, -22, 20, 0, 0, 0, 0),
        (3.0, 60, 10, 0, 0, 0, 0, 0),
        (3.5, 86, -18, 0, 0, 0, 0, 0),
        (3.9, 86, -18, 0, 0, 0, 0, 1),
        (5.5, 180, 0, 0, 0, 0, 0, 1),
        (6.5, 180, -60, 0, 0, 0, 0, 1),
        (6.6, 180, -60, 0, 0, 0, 0, 0),
        (8.0, 60, 40, 0, 0, 0, 0, 0),
        (9.0, 0, 0, 0, 0, 0, 0, 0),
    ],
    # Presses the cube through the cloth, rolls over it, drags the cloth aside and leaves.
    "hand_soft": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, 0, 0, 0, 0, 0),
        (2.0, 0, -25, 0, 0, 0, 0),
        (3.0, 15, -25, 10, 0, 0, 0),
        (4.0, -15, -28, -10, 0, 0, 0),
        (5.0, 0, -15, 0, 0, 0, 0),
        (6.5, 50, -30, 0, 0, 0, 0),
        (8.0, 60, 20, 0, 0, 0, 0),
        (9.0, 0, 0, 0, 0, 0, 0),
    ],
    # Through the edge of the flag's lee, across it, takes it, pulls and lets it fly.
    "hand_flag": [
        (0.0, 0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, 0, 0, 0, 0, 0, 0),
        (2.0, 0, 0, -80, 0, 0, 0, 0),
        (3.0, -50, 20, -100, 0, 0, 0, 0),
        (4.0, 20, -20, -90, 0, 0, 0, 0),
        (4.5, 20, -20, -90, 0, 0, 0, 1),
        (6.0, 60, 40, -40, 0, 0, 0, 1),
        (7.0, -40, -40, -40, 0, 0, 0, 1),
        (7.1, -40, -40, -40, 0, 0, 0, 0),
        (8.5, 0, 0, 20, 0, 0, 0, 0),
        (9.5, 0, 0, 0, 0, 0, 0, 0),
    ],
}

# Of the scenes in condensed/, which share a folder.
CONDENSED_HANDS = {
    # The finger presses the pad, rolls, slides, presses deeper and leaves.
    "hand": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, -12, 0, 0, 0, 0),
        (2.0, 0, -12, 0, 12, 0, 0),
        (3.0, 0, -12, 0, -12, 0, 10),
        (4.0, 25, -12, 0, 0, 0, 0),
        (5.5, 0, -12, 25, 0, 20, 0),
        (6.5, 0, -20, 25, 0, 20, 0),
        (7.5, 0, -20, 25, 0, 0, 0),
        (8.0, 0, 10, 20, 0, 0, 0),
        (9.0, 0, 0, 0, 0, 0, 0),
    ],
    # The stylus presses the cube, holds, drags it aside by its friction, leaves at once, and pokes it from the side.
    "hand_cube": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, -20, 0, 0, 0, 0),
        (2.0, 0, -20, 0, 0, 0, 0),
        (3.0, 15, -20, 5, 0, 0, 0),
        (3.5, 15, -20, 5, 0, 0, 0),
        (3.8, 15, 10, 5, 0, 0, 0),
        (5.0, 70, 10, 0, 0, 0, 0),
        (6.0, 70, -25, 0, 0, 0, 0),
        (7.0, 35, -25, 0, 0, 0, 0),
        (7.3, 70, -25, 0, 0, 0, 0),
        (8.0, 70, 15, 0, 0, 0, 0),
        (9.0, 0, 0, 0, 0, 0, 0),
    ],
    # The stylus presses the palm, slides over it, leaves, and bends the middle finger.
    "hand_palm": [
        (0.0, 0, 0, 0, 0, 0, 0),
        (1.0, 0, -20, 0, 0, 0, 0),
        (2.0, 15, -20, 10, 0, 0, 0),
        (3.0, 0, -20, 0, 0, 0, 0),
        (3.5, 0, 5, 0, 0, 0, 0),
        (5.0, 115, 5, 0, 0, 0, 0),
        (6.5, 113, -35, 0, 0, 0, 0),
        (7.5, 113, -35, 0, 0, 0, 0),
        (7.8, 113, 5, 0, 0, 0, 0),
        (9.0, 0, 0, 0, 0, 0, 0),
    ],
}

# A minute each, for the benchmark of contact (bench/contact_scenes).
LONG_HANDS = {
    # The bolt lies across two legs, goes up and down along them, over the platform, into the braces.
    "tower_bolt": [
        (0, 0, 0, 0, 0, 0, 0),
        (2, 0, 0, -24, 0, 0, 0),
        (4, 0, 0, -40, 0, 0, 0),
        (8, 0, 20, -48, 0, 0, 0),
        (12, 5, 10, -46, 0, 0, 20),
        (16, 0, -10, -38, 0, 0, 0),
        (19, 0, -18, -20, 0, 0, 0),
        (22, 0, -30, -32, 0, 10, 0),
        (25, 0, -40, -18, 0, 0, 0),
        (29, 0, -60, -22, 0, 0, 0),
        (34, 8, -52, -24, 0, 0, 12),
        (38, -8, -52, -24, 0, 0, -12),
        (41, 0, -30, -16, 0, 0, 0),
        (44, 0, -14, -34, 0, 0, 60),
        (48, 0, -8, -36, 0, 0, -60),
        (52, 0, 22, -44, 0, 8, 0),
        (57, 0, 0, 0, 0, 0, 0),
        (60, 0, 0, 0, 0, 0, 0),
    ],
    # The bolt levers the free end from inside, leaves it and slides along the outside.
    "hose_bolt": [
        (0, 0, 0, 0, 0, 0, 0),
        (3, -70, 0, 0, 0, 0, 0),
        (6, -70, -32, 0, 0, 0, -8),
        (10, -70, -14, -26, 0, 6, -4),
        (14, -70, 6, 26, 0, -6, 0),
        (18, -74, -20, 18, 0, -6, -4),
        (22, -74, -20, -18, 0, 6, -4),
        (26, -66, 10, -10, 0, 3, 4),
        (30, -70, -30, 0, 0, 0, -8),
        (34, -70, 0, 0, 0, 0, 0),
        (37, 0, 0, 0, 0, 0, 0),
        (40, 0, 45, 0, 0, 0, 0),
        (43, -70, 45, 0, 0, 0, 0),
        (47, -70, 10, 0, 0, 0, 0),
        (51, -60, 10, 8, 0, 10, 0),
        (55, -80, 10, -8, 0, -10, 0),
        (58, -70, 45, 0, 0, 0, 0),
        (60, -40, 45, 0, 0, 0, 0),
    ],
    # The spoon stirs along the wall, presses outwards all around and scrapes the floor.
    "basket_spoon": [
        (0, 0, 0, 0, 0, 0, 0),
        (3, 0, 0, 20, 0, 0, 0),
        (7, 24, 0, 16, 0, 0, 0),
        (11, 36, 0, 0, 0, 5, 0),
        (15, 20, 0, -16, 0, 0, 0),
        (19, 0, 0, -26, 0, 0, 0),
        (23, -20, 0, -16, 0, 0, 0),
        (27, -36, 0, 0, 0, -5, 0),
        (31, -24, 0, 16, 0, 0, 0),
        (35, 0, -10, 24, 0, 0, 0),
        (39, 0, -20, 4, 0, 0, 0),
        (43, 14, -22, 4, 0, 0, 10),
        (47, -14, -22, 4, 0, 0, -10),
        (51, 0, 0, 0, 0, 0, 0),
        (55, 34, 8, 6, 0, 0, 5),
        (60, 0, 0, 0, 0, 0, 0),
    ],
    # The heart leans into the wall all around, turns on the floor and leans again.
    "basket_heart": [
        (0, 0, 0, 0, 0, 0, 0),
        (3, 16, 0, 0, 0, 0, 0),
        (7, 14, 0, 18, 0, 0, 0),
        (11, 0, 0, 36, 0, 0, 0),
        (15, -14, 0, 18, 0, 15, 0),
        (19, -18, 0, 0, 0, 0, 10),
        (23, -14, 4, -18, 0, -15, 0),
        (27, 0, 6, -36, 10, 0, 0),
        (31, 14, 0, -18, 0, 0, 0),
        (35, 16, -8, 0, 0, 0, -10),
        (39, 0, -28, 0, 0, 0, 0),
        (43, 8, -26, 8, 0, 30, 0),
        (47, -8, -26, 8, 0, -30, 0),
        (51, 0, -20, -26, -10, 0, 0),
        (55, 0, 0, 30, 15, 0, 0),
        (58, 0, 0, 0, 0, 0, 0),
        (60, 0, 0, 0, 0, 0, 0),
    ],
}


def at(waypoints, time):
    for before, after in zip(waypoints, waypoints[1:]):
        if time <= after[0]:
            s = (time - before[0]) / (after[0] - before[0])
            w = s**3 * (10 - 15 * s + 6 * s * s)
            return [a + w * (b - a) for a, b in zip(before[1:7], after[1:7])]
    return list(waypoints[-1][1:7])


def buttons(waypoints, time):
    return [point[7] for point in waypoints if point[0] <= time + 1e-9][-1]


def quaternion(rotation_degrees):
    x, y, z = (math.radians(a) for a in rotation_degrees)
    angle = math.sqrt(x * x + y * y + z * z)
    scale = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), scale * x, scale * y, scale * z


def write(path, waypoints, rows_per_second):
    has_buttons = len(waypoints[0]) > 7
    lines = ["time_s,x_m,y_m,z_m,qw,qx,qy,qz" + (",buttons" if has_buttons else "")]
    for i in range(round(waypoints[-1][0] * rows_per_second) + 1):
        time = i / rows_per_second
        values = at(waypoints, time)
        pose = [1e-3 * v for v in values[:3]] + list(quaternion(values[3:]))
        lines.append(f"{time:.2f}," + ",".join(f"{v + 0.0:.7g}" for v in pose)
                     + (f",{buttons(waypoints, time)}" if has_buttons else ""))
    path.write_text("\n".join(lines) + "\n")


def main():
    folder = pathlib.Path(__file__).parent
    for scene, waypoints in SHORT_HANDS.items():
        write(folder / scene / "hand.csv", waypoints, 50)
    for hand, waypoints in CONDENSED_HANDS.items():
        write(folder / "condensed" / f"{hand}.csv", waypoints, 50)
    for hand, waypoints in CLOTH_HANDS.items():
        write(folder / "cloth" / f"{hand}.csv", waypoints, 50)
    for scene, waypoints in LONG_HANDS.items():
        write(folder / "contact" / f"hand_{scene}.csv", waypoints, 10)


if __name__ == "__main__":
    main()

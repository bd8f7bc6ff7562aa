"""Force against depth of a contact: simulated offline, written as CSV and drawn by gnuplot as SVG.

python3 -m hapticd.examples.force_depth -o out
"""
from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys

import numpy as np

import hapticd

from .pressed_ball import make_scene

PLOT = """set terminal svg size 640,420 font "sans,12"
set output "force_depth.svg"
set datafile separator ","
set xlabel "depth of the hand [mm]"
set ylabel "force on the hand [N]"
unset key
set grid
plot "force_depth.csv" using ($1*1e3):2 skip 1 with lines lw 2
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("force_depth"), help="folder")
    folder = parser.parse_args().output
    scene = hapticd.Scene(make_scene(folder, depth=0.015, seconds=3.0))
    hand = scene.hand()
    samples = scene.world().step(hand.poses, hand.twists)
    depth = -0.005 - hand.poses[:, 1]  # beyond the first touch, 5 mm below the start [m]
    felt = samples["device_wrench"]["force_N"][:, 1]
    contact = samples["contact_wrench"]["force_N"][:, 1]
    np.savetxt(folder / "force_depth.csv", np.column_stack([depth, felt, contact]), delimiter=",", comments="",
               header="depth_m,felt_N,contact_N")
    picture = bool(shutil.which("gnuplot"))
    if picture:
        subprocess.run(["gnuplot"], input=PLOT, text=True, cwd=folder, check=True)
    else:
        print("no picture: gnuplot is not installed (Debian's gnuplot-nox)", file=sys.stderr)
    written = folder / ("force_depth.svg" if picture else "force_depth.csv")
    print(f"{written}: up to {felt.max():.2f} N at {depth[felt.argmax()] * 1e3:.1f} mm, "
          f"first felt at {depth[np.argmax(contact > 0)] * 1e3:.2f} mm")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Bakes bodies of the published sizes (Barbic 2007, figure 2.7) from procedural shapes and prints
seconds and peak memory of each stage, and the CPU seconds of the whole bake, which depend little on other load.

Usage: bake_table.py HAPTIC [--ranks N] [--only NAME | --sizes] [--json OUT.json]
--sizes bakes the heart with some 12,000, 60,000, 180,000 and 500,000 voxels instead, and prints how seconds and peak
memory grow from each size to the next, as powers of the number of elements.
"""
import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile

# name: elements in Barbic 2007, voxel resolution that comes near them, r, k, and where it is held
BODIES = {
    "spoon": (2005, 63, 12, 6, 'axis = "x", below = 0.15'),
    "bridge": (5854, 73, 15, 10, 'axis = "y", below = 0.02'),
    "tower": (11304, 124, 30, 20, 'axis = "y", below = 0.02'),
    "heart": (14444, 35, 30, 20, 'axis = "y", below = 0.1'),
}
SIZES = {f"heart at {n}": ("heart", n, 30, 10, 'axis = "y", below = 0.1') for n in (33, 57, 82, 115)}
RECIPE = """
[source]
mesh = "{name}.obj"
length = 1.0
[mesh]
resolution = {resolution}
[material]
youngs_modulus = 1e6
poisson_ratio = 0.4
density = 1000.0
[constraints]
planes = [{{ {held} }}]
[reduction]
linear_modes = {k}
dimension = {r}
"""
STAGES = ["mesh", "voxels", "walls", "fem", "modes", "derivatives", "basis", "polynomials", "embedding", "write"]


def bake(haptic, folder, name, resolution, r, k, held, ranks):
    (folder / f"{name}.toml").write_text(
        RECIPE.format(name=name, resolution=resolution, r=r, k=k, held=held))
    subprocess.run([haptic, "mesh", name, "-o", f"{name}.obj"], cwd=folder, check=True,
                   capture_output=True)
    command = [haptic, "bake", f"{name}.toml", "-o", f"{name}.h5", "--no-cache", "--json"]
    environment = dict(os.environ)
    if ranks > 1:
        command = ["mpirun", "-q", "--oversubscribe", "-n", str(ranks), *command]
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True,
                          env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = json.loads(done.stdout)
    summary["cpu_seconds"] = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return summary


def print_growth(before, after):
    """Exponents of the number of elements."""
    factor = math.log(after["mesh_elements"] / before["mesh_elements"])

    def power(a, b):
        return f"{math.log(b / a) / factor:.2f}" if a > 0.05 else "-"

    cells = [f"{power(before['seconds'][s], after['seconds'][s])} / "
             f"{power(before['peak_bytes'][s], after['peak_bytes'][s])}" for s in STAGES]
    total = power(sum(before["seconds"].values()), sum(after["seconds"].values()))
    print("| power | | | | | " + " | ".join(cells)
          + f" | {total} | {power(before['cpu_seconds'], after['cpu_seconds'])} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("haptic")
    arguments.add_argument("--ranks", type=int, default=1)
    chosen = arguments.add_mutually_exclusive_group()
    chosen.add_argument("--only", choices=BODIES)
    chosen.add_argument("--sizes", action="store_true")
    arguments.add_argument("--json")
    options = arguments.parse_args()
    haptic = str(pathlib.Path(options.haptic).resolve())
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {options.ranks} rank(s); seconds / peak MB of each stage")
    print("| model | elements (published) | vertices | k | r | " + " | ".join(STAGES) + " | all | CPU |")
    print("|---" * (7 + len(STAGES)) + "|")
    bodies = SIZES if options.sizes else {name: (name, *body[1:]) for name, body in BODIES.items()
                                          if options.only in (None, name)}
    results = {}
    with tempfile.TemporaryDirectory(prefix="haptic-bake-table-") as folder:
        for name, body in bodies.items():
            summary = bake(haptic, pathlib.Path(folder), *body, options.ranks)
            if options.sizes and results:
                print_growth(list(results.values())[-1], summary)
            results[name] = summary
            seconds, peaks = summary["seconds"], summary["peak_bytes"]
            cells = [f"{seconds[s]:.2f} / {1e-6 * peaks[s]:.0f}" for s in STAGES]
            published = f" ({BODIES[name][0]})" if name in BODIES else ""
            print(f"| {name} | {summary['mesh_elements']}{published} "
                  f"| {summary['mesh_vertices']} | {body[3]} | {summary['dimension']} | "
                  + " | ".join(cells) + f" | {sum(seconds.values()):.1f} | {summary['cpu_seconds']:.1f} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

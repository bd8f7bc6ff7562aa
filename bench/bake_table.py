#!/usr/bin/env python3
"""Bakes bodies of the published sizes (Barbic 2007, figure 2.7) from procedural shapes and prints
seconds and peak memory of each stage, and the CPU seconds of the whole bake, which depend little on other load.

Usage: bake_table.py HAPTIC [--ranks N] [--only NAME] [--json OUT.json]
"""
import argparse
import json
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
STAGES = ["mesh", "voxels", "fem", "modes", "derivatives", "basis", "polynomials", "embedding", "write"]


def bake(haptic, folder, name, ranks):
    elements, resolution, r, k, held = BODIES[name]
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


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("haptic")
    arguments.add_argument("--ranks", type=int, default=1)
    arguments.add_argument("--only", choices=BODIES)
    arguments.add_argument("--json")
    options = arguments.parse_args()
    haptic = str(pathlib.Path(options.haptic).resolve())
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {options.ranks} rank(s); seconds / peak MB of each stage")
    print("| model | elements (published) | vertices | k | r | " + " | ".join(STAGES) + " | all | CPU |")
    print("|---" * (7 + len(STAGES)) + "|")
    results = {}
    with tempfile.TemporaryDirectory(prefix="haptic-bake-table-") as folder:
        for name in [options.only] if options.only else BODIES:
            summary = bake(haptic, pathlib.Path(folder), name, options.ranks)
            results[name] = summary
            seconds, peaks = summary["seconds"], summary["peak_bytes"]
            cells = [f"{seconds[s]:.2f} / {1e-6 * peaks[s]:.0f}" for s in STAGES]
            print(f"| {name} | {summary['mesh_elements']} ({BODIES[name][0]}) "
                  f"| {summary['mesh_vertices']} | {BODIES[name][3]} | {summary['dimension']} | "
                  + " | ".join(cells) + f" | {sum(seconds.values()):.1f} | {summary['cpu_seconds']:.1f} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

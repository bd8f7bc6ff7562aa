#!/usr/bin/env python3
"""Pins the numbers of the product: every section of every shipped model, every data set of the log of every shipped
scene, and of load scripts under every solver.

Usage: numbers_test.py HAPTIC [--record]

On the platform of numbers.json (compiler and libraries) the bytes are equal to those recorded, compared by their hash.
Elsewhere the norm and some elements of the first rows are equal within `TOLERANCE` of the norm. A name that is neither
recorded nor in `LEFT_OUT` is a failure, and so is one that is recorded and missing.

--record writes numbers.json anew, for a commit whose purpose is to change numbers.
"""
import pathlib
import re
import shutil
import sys
import tempfile

import h5py
import numpy

import record

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import beam_recipe, run  # noqa: E402

HAPTIC = str(pathlib.Path(sys.argv[1]).resolve())
TREE = pathlib.Path(__file__).resolve().parents[2]
RECORD = "numbers.json"

# What is no number of the product, or is meant to change: name in an HDF5 file, reason. Texts of attributes (meanings,
# units, paths, the recipe) are never compared.
LEFT_OUT = {
    r"blocks/\*@.*": "the layout of the telemetry",
    r"provenance@(seconds|peak_bytes)_.*": "measured while baking",
}

# Seconds of the hand's motion, enough to reach contact and, where there is one, to use the button; None: to its end.
# Folders and models are those of scenes/bake.sh.
SIMULATED = {
    "alpha_puzzle/scene": None, "bin/scene": 4, "bowls/scene": 4, "bridge_box/scene": None, "chains/scene": 4,
    "cloth/curtain_scene": 2, "cloth/flag_scene": 1.8, "cloth/soft_scene": 1.8, "cloth/table_scene": 1.8,
    "condensed/cube_scene": None, "condensed/hand_scene": 3, "condensed/scene": 5, "excavator/scene": 5,
    "gripper/scene": 3, "hexbolt/scene": 1.5, "hose_bolt/scene": 5, "jelly/scene": 3, "spoon_ball/scene": None,
}
# The publications' recipes of scenes/contact take ten minutes to bake. Here they have fewer points and coarser fields.
COARSE = {"points": 4000, "resolution": 32}
CONTACT = {"scene_basket_heart": 3, "scene_basket_spoon": 10, "scene_hose_bolt": 10, "scene_tower_bolt": 10}
# Files of `haptic new`: kind, mesh.
TEMPLATES = {"solids": ["box"], "condensed": ["box", "--set", "resolution=21"], "cloth": None}

BEAM = beam_recipe(resolution=20, held_below=0.011, linear_modes=4, dimension=8, points=2000, levels=3)
LOADS = """
dt_s = {step}
steps = {steps}
gravity = [0.0, -1.0, 0.0]
[[load]]
near = [0.2, 0.0, 0.0]
force_N = [0.0, 0.0, -0.05]
from_s = 0.0
to_s = 0.02
[[probe]]
near = [0.2, 0.0, 0.0]
"""
# Name of the log, options, step [s], steps.
LOADED = (
    ("reduced", [], 0.002, 40),
    ("reduced_linear", ["--solver", "linear"], 0.002, 40),
    ("direct", ["--unreduced", "--save-every", "5"], 0.002, 20),
    ("matrix_free", ["--unreduced", "--solver", "matrix-free"], 0.002, 10),
    ("explicit", ["--unreduced", "--solver", "explicit"], 2e-5, 200),
    ("linear", ["--unreduced", "--solver", "linear", "--mass", "lumped"], 0.002, 20),
    ("static", ["--unreduced", "--solver", "static"], 0.002, 4),
    ("corotational", ["--unreduced", "--material", "corotational", "--newton", "3"], 0.002, 10),
    ("neo_hookean", ["--unreduced", "--material", "neo-hookean"], 0.002, 10),
)

# Elsewhere: of the norm, for double and for single precision. A rounding of the last bit grows along a contact, so that
# of logs only the first rows are compared.
TOLERANCE = {8: 1e-12, 4: 1e-6}
ROWS = 500
# What rounds to zero has no norm to speak of.
ZERO = 1e-15
# Elsewhere: "FILE NAME", tolerance (None: not compared). Found with AVX-512 kernels and another BLAS.
WIDER = {
    # Hashes of models, and what is left of rounding.
    r".*(_hash|residual|rounding)": None,
    # A cube has equal frequencies: any rounding turns their modes, and with them all that is made of them.
    r"(new/solids/part|scenes/(jelly|gripper)/cube)\.h5 .*(reduced|shell|field|surface)/.*": None,
    r"scenes/(jelly|gripper)/scene\.log\.h5 state/.*": None,
    # Modes, and what is made of them, are as exact as the solver's last iteration.
    r".*\.h5 (body@stiffness_N_m|reduced/.*)": 1e-9,
    # A cloth that lies on a soft cube.
    r"scenes/cloth/soft_scene\.log\.h5 state/.*": 1e-6,
}


def must(*command, cwd):
    done = run(*command, cwd=cwd, environment=record.PINNED)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.returncode}: {done.stderr}")


def coarse(recipe):
    for key, most in COARSE.items():
        recipe = re.sub(rf"(?m)^{key} = (\d+)", lambda m: f"{key} = {min(int(m[1]), most)}", recipe)
    return recipe


def produce(folder):
    """Bakes and simulates everything below the folder."""
    scenes = folder / "scenes"
    shutil.copytree(TREE / "scenes", scenes, ignore=shutil.ignore_patterns("*.h5", "*.obj", "*.bake"))
    for made in ("bin", "excavator", "bowls", "chains"):
        (scenes / made / "scene.toml").unlink(missing_ok=True)
    must("python3", "make_hands.py", cwd=scenes)
    for name in sorted({scene.partition("/")[0] for scene in SIMULATED}):
        must("./bake.sh", HAPTIC, name, cwd=scenes)
    contact = scenes / "contact"
    for recipe in sorted(contact.glob("*.toml")):
        text = recipe.read_text()
        mesh = re.search(r'(?m)^mesh = "(\w+)\.obj"', text)
        if not mesh:
            continue
        recipe.write_text(coarse(text))
        must(HAPTIC, "mesh", mesh[1], "-o", f"{mesh[1]}.obj", cwd=contact)
        must(HAPTIC, "bake", recipe.name, "-o", recipe.with_suffix(".h5").name, "--no-cache", cwd=contact)
    for scene, seconds in {**SIMULATED, **{f"contact/{name}": s for name, s in CONTACT.items()}}.items():
        end = [] if seconds is None else ["--seconds", seconds]
        must(HAPTIC, "simulate", f"{scene}.toml", "-o", f"{scene}.log.h5", *end, cwd=scenes)

    for kind, mesh in {**TEMPLATES, "rigid": ["box"]}.items():
        new = folder / "new" / kind
        new.mkdir(parents=True)
        must(HAPTIC, "new", "recipe", "--kind", kind, "-o", "part.toml", cwd=new)
        if mesh:
            must(HAPTIC, "mesh", *mesh, "-o", "part.obj", cwd=new)
        must(HAPTIC, "bake", "part.toml", "-o", "part.h5", "--no-cache", cwd=new)
        if kind in TEMPLATES:
            must(HAPTIC, "new", "scene", "--kind", kind, "-o", "scene.toml", cwd=new)
            must(HAPTIC, "new", "hand", "-o", "hand.csv", cwd=new)
            must(HAPTIC, "simulate", "scene.toml", "-o", "scene.log.h5", "--seconds", "2", cwd=new)

    loads = folder / "loads"
    loads.mkdir()
    (loads / "beam.toml").write_text(BEAM)
    must(HAPTIC, "mesh", "beam", "-o", "beam.obj", cwd=loads)
    must(HAPTIC, "bake", "beam.toml", "-o", "beam.h5", "--no-cache", cwd=loads)
    for name, options, step, steps in LOADED:
        (loads / "loads.toml").write_text(LOADS.format(step=step, steps=steps))
        must(HAPTIC, "simulate", "beam.h5", "--loads", "loads.toml", "-o", f"{name}.log.h5", *options, cwd=loads)


def numbers_of(file):
    """Arrays by name: data sets by path; attributes that are numbers or hashes as PATH@NAME, of numbered groups as one
    array of all."""
    found, attributes = {}, {}

    def visit(path, item):
        if isinstance(item, h5py.Dataset):
            found[path] = item[()]
            return
        for name, value in item.attrs.items():
            if not isinstance(value, (bytes, numpy.bytes_, str)):
                value = numpy.ravel(value)
            elif name.endswith("_hash"):
                value = numpy.frombuffer(bytes(value), numpy.uint8)
            else:
                continue
            attributes.setdefault(re.sub(r"/\d+$", "/*", path) + f"@{name}", []).append(value)

    with h5py.File(file) as data:
        visit("", data)
        data.visititems(visit)
    return found | {name: numpy.concatenate(values) for name, values in attributes.items()}


def digest(array):
    """Type and shape, hash of the bytes, norm (to what another numpy sums alike) and elements of the first rows."""
    array = numpy.ascontiguousarray(array)
    rows = array[:ROWS].astype(float).ravel()
    at = sorted({(len(rows) - 1) * k // 4 for k in range(1, 4)}) if len(rows) else []
    return [array.dtype.str + str(list(array.shape)), record.short_hash(array.tobytes()),
            float(f"{numpy.linalg.norm(rows):.13g}"), *(float(rows[i]) for i in at)]


def left_out(name):
    return next((pattern for pattern in LEFT_OUT if re.fullmatch(pattern, name)), None)


def digests(folder):
    found, used = {}, set()
    for file in sorted(folder.rglob("*.h5")):
        if any(part.endswith(".bake") for part in file.parts):
            continue
        numbers = numbers_of(file)
        if not numbers.get("samples/contact_force_N", numpy.ones(1)).any():
            sys.exit(f"{file}: the hand touches nothing")
        for name, array in numbers.items():
            pattern = left_out(name)
            if pattern:
                used.add(pattern)
            else:
                found[f"{file.relative_to(folder)} {name}"] = digest(array)
    unused = LEFT_OUT.keys() - used
    if unused:
        sys.exit(f"left out and in no file: {unused}")
    return found


def near(key, now, then):
    """Whether two digests are equal within the tolerance of the name or the type."""
    tolerance = TOLERANCE.get(numpy.dtype(then[0].split("[")[0]).itemsize, 0.0)
    wider = next((pattern for pattern in WIDER if re.fullmatch(pattern, key)), None)
    if wider:
        if WIDER[wider] is None:
            return True
        tolerance = WIDER[wider]
    at_most = max(ZERO, tolerance * then[2])
    return now[0] == then[0] and all(abs(a - b) <= at_most for a, b in zip(now[2:], then[2:]))


def main():
    record.one_processor()
    platform = record.platform_of(HAPTIC, pathlib.Path(HAPTIC).with_name("haptic-bake"))
    with tempfile.TemporaryDirectory(prefix="haptic-golden-") as folder:
        produce(pathlib.Path(folder))
        found = digests(pathlib.Path(folder))
    if "--record" in sys.argv:
        record.write(RECORD, {"": platform, **found})
        return 0
    recorded = record.read(RECORD)
    same = recorded.pop("") == platform
    wrong = [f"{key}: not recorded" for key in found.keys() - recorded.keys()]
    wrong += [f"{key}: recorded and not produced" for key in recorded.keys() - found.keys()]
    for key in found.keys() & recorded.keys():
        if found[key][:2] != recorded[key][:2] if same else not near(key, found[key], recorded[key]):
            wrong.append(f"{key}: {found[key]}, recorded {recorded[key]}")
    print("\n".join(sorted(wrong)))
    models = {key.split()[0] for key in found if ".log.h5 " not in key}
    logs = {key.split()[0] for key in found if ".log.h5 " in key}
    print(f"{len(found)} arrays of {len(models)} models and {len(logs)} logs,",
          "by their bytes" if same else f"by norm and elements: the record is of another platform than {platform}",
          f"; {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

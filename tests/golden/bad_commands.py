"""Command lines that are refused, and the folder in which they are."""
import pathlib
import shutil
import struct
import sys

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import BALL_RECIPE, bake_beam, beam_recipe, run  # noqa: E402

import bad_documents  # noqa: E402

BEAM = beam_recipe(resolution=10, held_below=0.021, linear_modes=3, dimension=4, points=500, levels=2)
BALL_SCENE = """
[[body]]
name = "ball"
shape = "sphere"
radius = 0.01
role = "held"
"""
HAND = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n0.1,0,0.001,0,1,0,0,0\n"
SCENE = """
[[body]]
name = "part"
model = "{model}"
role = "anchored"
""" + BALL_SCENE + """
[device]
script = "{hand}"
"""
# Hand scripts.
HANDS = {
    "empty": "", "header": "t,x,y\n0,0,0\n", "word": HAND.replace("0.001", "one"), "short": HAND + "0.2,0,0\n",
    "back": HAND + "0.05,0,0,0,1,0,0,0\n", "nan": HAND + "0.2,nan,0,0,1,0,0,0\n", "turn": HAND + "0.2,0,0,0,0,0,0,0\n",
    "jump": HAND + "0.1001,5,0,0,1,0,0,0\n",
}
# Scenes: text.
SCENES = {
    "no_toml": "[[body]\n", "none": "", "no_held": BALL_SCENE.replace("held", "anchored"), "two_held": 2 * BALL_SCENE,
    "twice": BALL_SCENE + BALL_SCENE.replace("held", "anchored"), "no_name": BALL_SCENE.replace('name = "ball"\n', ""),
    "no_role": BALL_SCENE.replace('role = "held"\n', ""), "no_radius": BALL_SCENE.replace("radius = 0.01\n", ""),
    "typo": BALL_SCENE.replace("radius", "radios"), "world": 'world = "solid"\n' + BALL_SCENE,
    "contact_of_nobody": BALL_SCENE + '[[contact]]\npoints = "wall"\nfield = "ball"\nstiffness = 1.0\n',
    "cloth_of_nobody": 'world = "cloth"\n' + BALL_SCENE + '[cloth]\nbody = "cloth"\n',
    "cloth_of_solid": 'world = "cloth"\n' + SCENE.format(model="beam.h5", hand="hand.csv") + '[cloth]\nbody = "part"\n',
    "condensed_of_solid": 'world = "condensed"\n' + SCENE.format(model="beam.h5", hand="hand.csv"),
    "free_beam": SCENE.format(model="beam.h5", hand="hand.csv").replace("anchored", "free"),
    "much": SCENE.format(model="beam.h5", hand="hand.csv").replace("anchored\"", "anchored\"\ndimension = 9"),
}
MODELS = ("missing", "empty", "text", "first_100", "half", "flipped", "newer", "other_hdf5")
RECIPES = {
    "no_mesh": BALL_RECIPE.replace("tool.obj", "missing.obj"),
    "empty_mesh": BALL_RECIPE.replace("tool.obj", "empty.obj"),
    "nan_mesh": BALL_RECIPE.replace("tool.obj", "nan.obj"), "open_mesh": BALL_RECIPE.replace("tool.obj", "open.obj"),
    "unknown_mesh": BALL_RECIPE.replace("tool.obj", "hand.csv"), "no_source": "[material]\ndensity = 1.0\n",
    "fixed_all": BEAM.replace("below = 0.021", "below = 10.0"),
    "fixed_none": BEAM.replace("below = 0.021", "below = -1.0"),
    "large_basis": BEAM.replace("dimension = 4", "dimension = 60"), "no_toml": BALL_RECIPE + "[shell\n",
    "two_bodies": BEAM + "[cloth]\nareal_density = 1.0\n",
    "length_and_unit": BALL_RECIPE.replace("[mesh]", 'unit = "mm"\n[mesh]'),
}
MESHES = {
    "empty.obj": "", "nan.obj": "v 0 0 0\nv nan 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n",
    "open.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "index.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
    "cut.ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n",
    "cut.stl": "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "text.msh": "no mesh\n",
}
LOADS = {"of_none": "dt_s = 0.001\nsteps = 1\n[[load]]\nforce_N = [0.0, 0.0, 1.0]\n",
         "vertex": "dt_s = 0.001\nsteps = 1\n[[load]]\nvertex = 99999999\nforce_N = [0.0, 0.0, 1.0]\n",
         "span": "dt_s = 0.001\nsteps = 1\n[[load]]\nvertex = 1\nforce_N = [0.0, 0.0, 1.0]\nfrom_s = 2.0\nto_s = 1.0\n"}

CASES = {
    **{f"hand script {name}": ("haptic", "simulate", "beam_scene.toml", "--trajectory", f"{name}.csv", "-o", "a.h5")
       for name in ("missing", *HANDS)},
    **{f"scene {name}": ("hapticd", "--scene", f"{name}.toml", "--check") for name in ("missing", *SCENES)},
    **{f"simulated scene {name}": ("haptic", "simulate", f"{name}.toml", "-o", "a.h5") for name in ("missing", "typo")},
    **{f"model {name} in a scene": ("hapticd", "--scene", f"model_{name}.toml", "--check") for name in MODELS},
    **{f"model {name}": ("haptic", "verify", f"{name}.h5") for name in MODELS},
    **{f"log {name}": ("haptic", "replay", f"{name}.h5") for name in (*MODELS, "beam")},
    "log is of no log: plot": ("haptic", "plot", "beam.h5", "-o", "a.png"),
    "log is of no log: export": ("haptic", "export", "beam.h5", "-o", "a.csv"),
    "log is of no log: report": ("haptic", "report", "beam.h5", "-o", "a.html"),
    "log is of no log: diff": ("haptic", "diff", "beam.h5", "log.h5"),
    "model is a log": ("haptic", "verify", "log.h5"),
    **{f"recipe {name}": ("haptic", "bake", f"recipe_{name}.toml", "-o", "a.h5", "--no-cache") for name in RECIPES},
    "recipe missing": ("haptic", "bake", "missing.toml", "-o", "a.h5"),
    **{f"mesh {name}": ("haptic", "inspect", name) for name in ("missing.obj", *MESHES) if name != "open.obj"},
    **{f"loads {name}": ("haptic", "simulate", "beam.h5", "--loads", f"loads_{name}.toml", "-o", "a.h5")
       for name in ("missing", *LOADS)},
    "loads of a rigid body": ("haptic", "simulate", "ball.h5", "--loads", "loads.toml", "-o", "a.h5"),
    "manifest missing": ("hapticd", "--scene", "ball_scene.toml", "--device", "missing.toml", "--check"),
    "manifest of no kind": ("hapticd", "--scene", "ball_scene.toml", "--device", "loads_span.toml", "--check"),
    "manifest of a kind unknown": ("hapticd", "--scene", "ball_scene.toml", "--device", "kind.toml", "--check"),
    "no command": ("haptic",),
    "unknown command": ("haptic", "simulat"),
    "unknown option": ("haptic", "simulate", "beam_scene.toml", "-o", "a.h5", "--second", "1"),
    "no output": ("haptic", "simulate", "beam_scene.toml"),
    "output is the input": ("haptic", "simulate", "beam_scene.toml", "-o", "beam_scene.toml"),
    "output in no folder": ("haptic", "simulate", "beam_scene.toml", "-o", "nowhere/a.h5"),
    "seconds out of range": ("haptic", "simulate", "beam_scene.toml", "-o", "a.h5", "--seconds", "-1"),
    "seconds no number": ("haptic", "simulate", "beam_scene.toml", "-o", "a.h5", "--seconds", "nan"),
    "solver without loads": ("haptic", "simulate", "beam_scene.toml", "-o", "a.h5", "--solver", "direct"),
    "solver unknown": ("haptic", "simulate", "beam.h5", "--loads", "loads.toml", "-o", "a.h5", "--solver", "quick"),
    "scene with loads": ("haptic", "simulate", "beam_scene.toml", "--loads", "loads.toml", "-o", "a.h5"),
    "model without loads": ("haptic", "simulate", "beam.h5", "-o", "a.h5"),
    "shape unknown": ("haptic", "mesh", "cubus", "-o", "a.obj"),
    "shape's key unknown": ("haptic", "mesh", "box", "--set", "length_x=1", "-o", "a.obj"),
    "shape's value out of range": ("haptic", "mesh", "box", "--set", "size_x=-1", "-o", "a.obj"),
    "shape's format unknown": ("haptic", "mesh", "box", "-o", "a.xyz"),
    "new over a file": ("haptic", "new", "hand", "-o", "hand.csv"),
    "new of a kind unknown": ("haptic", "new", "scene", "--kind", "fluid", "-o", "a.toml"),
    "plot of a column unknown": ("haptic", "plot", "log.h5", "--columns", "forse", "-o", "a.png"),
    "plot of a format unknown": ("haptic", "plot", "log.h5", "-o", "a.txt"),
    "export of a format unknown": ("haptic", "export", "log.h5", "-o", "a.xls"),
    "export after the end": ("haptic", "export", "log.h5", "-o", "a.csv", "--from", "99"),
    "report of a format unknown": ("haptic", "report", "log.h5", "-o", "a.txt"),
    "replay of a scene": ("haptic", "replay", "beam_scene.toml"),
    "view of two things": ("haptic", "view", "--log", "log.h5", "--scene", "beam_scene.toml", "--png", "a.png"),
    "key unknown": ("haptic", "explain", "stifness"),
    "status of no daemon": ("haptic", "status", "--name", "no-daemon-of-this-name"),
    "set of no daemon": ("haptic", "set", "limits.force", "1", "--name", "no-daemon-of-this-name"),
    "set without a value": ("haptic", "set", "limits.force"),
    "name with a slash": ("haptic", "status", "--name", "a/b"),
    "daemon without a scene": ("hapticd",),
    "daemon's option unknown": ("hapticd", "--scenes", "ball_scene.toml"),
    "daemon's priority out of range": ("hapticd", "--scene", "ball_scene.toml", "--check", "--priority", "100"),
    "daemon's cycles no number": ("hapticd", "--scene", "ball_scene.toml", "--check", "--cycles", "many"),
}


def damage(folder):
    good = (folder / "beam.h5").read_bytes()
    flipped, newer = bytearray(good), bytearray(good)
    with h5py.File(folder / "beam.h5") as model:
        flipped[model["/reduced/quartic"].id.get_offset() + 11] ^= 0x10
    struct.pack_into("<I", newer, 12, struct.unpack_from("<I", newer, 12)[0] + 1)
    damaged = {"empty": b"", "text": b"no model\n", "first_100": good[:100], "half": good[:len(good) // 2],
               "flipped": flipped, "newer": newer, "other_hdf5": b"\x89HDF\r\n\x1a\n" + bytes(5000)}
    for name, data in damaged.items():
        (folder / f"{name}.h5").write_bytes(data)


def prepare(folder, haptic):
    """Everything that the command lines name and is not missing on purpose."""
    def must(*words):
        done = run(haptic, *words, cwd=folder)
        assert done.returncode == 0, (words, done.stderr)

    files = {
        "ball_scene.toml": BALL_SCENE, "beam_scene.toml": SCENE.format(model="beam.h5", hand="hand.csv"),
        "hand.csv": HAND, "loads.toml": bad_documents.LOADS, "kind.toml": 'kind = "pen"\nname = "pen"\n',
        "tool.toml": BALL_RECIPE, "cloth.toml": bad_documents.CLOTH_RECIPE,
        "condensed.toml": bad_documents.BASES["recipe condensed"], **MESHES,
        **{f"{name}.csv": text for name, text in HANDS.items()},
        **{f"{name}.toml": text for name, text in SCENES.items()},
        **{f"model_{name}.toml": SCENE.format(model=f"{name}.h5", hand="hand.csv") for name in MODELS},
        **{f"recipe_{name}.toml": text for name, text in RECIPES.items()},
        **{f"loads_{name}.toml": text for name, text in LOADS.items()},
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    must("mesh", "sphere", "-o", "tool.obj")
    must("mesh", "box", "--set", "resolution=21", "-o", "ball.obj")
    bake_beam(haptic, folder, BEAM)
    for name in ("tool", "cloth", "condensed"):
        must("bake", f"{name}.toml", "-o", f"{name}.h5", "--no-cache")
    shutil.copy(folder / "tool.h5", folder / "ball.h5")
    must("simulate", "beam_scene.toml", "-o", "log.h5")
    damage(folder)

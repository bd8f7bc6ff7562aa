"""Valid documents of every kind, and wrong values for their keys."""
import copy
import json
import pathlib
import tomllib

TREE = pathlib.Path(__file__).resolve().parents[2]
# No key is changed.
NOTHING = "-"
# How the programs are asked to read bad.toml.
READ_BY = {
    "scene": ("hapticd", "--scene", "bad.toml", "--check"),
    "recipe": ("haptic", "bake", "bad.toml", "-o", "bad.h5", "--no-cache"),
    "manifest": ("hapticd", "--scene", "ball_scene.toml", "--device", "bad.toml", "--check"),
    "load-script": ("haptic", "simulate", "beam.h5", "--loads", "bad.toml", "-o", "bad.log.h5"),
}

# The first body is the one whose keys are tried.
SOLIDS = """
[[body]]
name = "tool"
shape = "sphere"
radius = 0.01
role = "held"
position = [0.0, 0.2, 0.0]
[[body]]
name = "ground"
shape = "plane"
size = 0.3
role = "anchored"
orientation = [0.70710678, -0.70710678, 0.0, 0.0]
[[body]]
name = "ball"
model = "ball.h5"
role = "free"
position = [0.0, 0.1, 0.0]
[[joint]]
name = "hinge"
type = "hinge"
bodies = ["ground", "ball"]
point = [0.0, 0.1, 0.0]
axis = [0.0, 0.0, 1.0]
servo = { stiffness = 1.0 }
[[contact]]
among = "free"
stiffness = 300.0
damping = 1.0
node_budget = 1000
[[device.faults]]
kind = "jump"
at = 1.0
size = 0.01
"""
GROUP = """
[[material.group]]
name = "tip"
plane = { axis = "y", above = 0.09 }
"""
CONSTRAINT = """
[[constraint]]
set = "left"
"""
FAULTS = """
[[faults]]
kind = "jump"
at = 1.0
size = 0.01
"""
CLOTH_RECIPE = """
[source]
grid = { particles = [6, 6], size = [0.1, 0.1] }
[cloth]
areal_density = 0.2
damping = 0.002
structural = { stiffness = 150.0 }
"""
LOADS = """
dt_s = 0.002
steps = 2
[[load]]
near = [0.2, 0.0, 0.0]
force_N = [0.0, 0.0, -0.05]
[[probe]]
near = [0.2, 0.0, 0.0]
"""


def template(name):
    return (TREE / "host/cli/templates" / name).read_text().replace("part.", "condensed.")


def manifest(name):
    return (TREE / "firmware-config" / f"{name}.toml").read_text()


BASES = {
    "scene solids": SOLIDS,
    "scene condensed": template("scene_condensed.toml"),
    "scene cloth": template("scene_cloth.toml").replace("condensed.", "cloth.") + CONSTRAINT,
    "recipe solids": template("recipe_solids.toml").replace("condensed.", "ball.") + GROUP,
    "recipe condensed": template("recipe_condensed.toml").replace("condensed.", "ball."),
    "recipe cloth": CLOTH_RECIPE,
    "load-script": LOADS,
    "manifest simulated": manifest("simulated-hand") + FAULTS,
    "manifest falcon": manifest("novint-falcon"),
    "manifest external": manifest("external-reference"),
    "manifest comedi-arm": manifest("phantom-premium-1-5"),
}


def toml(value):
    """A document, or the text of a value."""
    if isinstance(value, dict):
        return "".join(f"{key} = {inline(item)}\n" for key, item in value.items())
    return inline(value)


def inline(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {inline(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def changed(document, key, value):
    """The document with the key set, in the first of its tables where there are several."""
    base = tomllib.loads(BASES[document])
    if key == NOTHING:
        return base
    made = at = copy.deepcopy(base)
    *tables, last = key.split(".")
    for table in tables:
        name = table.removesuffix("[]")
        at = at.setdefault(name, [{}] if table.endswith("[]") else {})
        if isinstance(at, list):
            at = at[0]
    at[last.removesuffix("[]")] = value
    return made


def wrong_values(document, row):
    """Cases for a key that `haptic explain` describes: another type, out of every range, an unknown word or key."""
    kind = row["value"]
    word = "no-such-word"
    if kind in ("number", "whole number"):
        values = [word, -1e300] + [1.5] * (kind == "whole number")
    elif kind == "choice":
        values = [word]
    elif kind.startswith("array of") and kind != "array of tables":
        values = [word, [-1e300]]
    else:
        values = [5]
    cases = [f"{row['key']} = {inline(value)}" for value in values]
    if kind in ("table", "array of tables"):
        cases.append(f"{row['key']}.unknown = 1")
    for base in BASES:
        if base.startswith(document) and kind_of(document, row) in (base.partition(" ")[2], None):
            yield from (f"{base}: {case}" for case in cases)


def kind_of(document, row):
    """Of the document that has the key: its world, its body or its device; None: every one."""
    if row["condition"]:
        return row["condition"].split('"')[1]
    table = row["key"].partition(".")[0]
    return {"scene": "solids", "recipe": table if table in ("cloth", "condensed") else "solids"}.get(document)

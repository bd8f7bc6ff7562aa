"""Parts of scene files that the make_*.py scripts of this folder share."""

BODY = """[[body]]
name = "{name}"
model = "{model}.h5"
role = "free"
position = [{position}]
orientation = [{orientation}]
"""


# The hand of these scenes; {coupling}: further keys of the coupling.
HAND = """[coupling]
stiffness = 400.0               # N/m
rotational_stiffness = 0.5      # N·m/rad
{coupling}[limits]
force = 8.5                     # N
torque = 0.5                    # N·m
ramp_s = 0.5
[device]
name = "simulated"
script = "hand.csv"
"""


def text(values, places):
    """Numbers with this many decimals; no negative zero."""
    return ", ".join(f"{value + 0.0:.{places}f}" for value in values)


def free_body(name, model, position, orientation, decimals=(6, 9)):
    """A free body. Position in metres, orientation a quaternion w, x, y, z; each with this many decimals."""
    return BODY.format(name=name, model=model, position=text(position, decimals[0]),
                       orientation=text(orientation, decimals[1]))

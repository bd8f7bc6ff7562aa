"""Parts of scene files that the make_*.py scripts of this folder share."""

BODY = """[[body]]
name = "{name}"
model = "{model}.h5"
role = "free"
position = [{position}]
orientation = [{orientation}]
"""


def free_body(name, model, position, orientation, decimals=(6, 9)):
    """A free body. Position in metres, orientation a quaternion w, x, y, z; each with this many decimals."""
    def text(values, places):
        return ", ".join(f"{value + 0.0:.{places}f}" for value in values)
    return BODY.format(name=name, model=model, position=text(position, decimals[0]),
                       orientation=text(orientation, decimals[1]))

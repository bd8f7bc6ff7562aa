"""One small scene of each kind of world whose bodies bend, and where a log says that their surfaces are."""
import h5py
import numpy

from expected_picture import box, sphere
from programs import bake_beam, beam_recipe, run

CONDENSED_CUBE = """
[source]
mesh = "cube.obj"
length = 0.1
[mesh]
resolution = 4
[material]
youngs_modulus = 1e4
poisson_ratio = 0.45
density = 1000.0
damping_ratios = [0.4, 0.8]
[constraints]
planes = [{ axis = "y", below = 0.0 }]
[condensed]
modes = 10
"""
SHEET = """
[source]
grid = { particles = [20, 20], size = [0.3, 0.3] }
[cloth]
areal_density = 0.2
damping = 0.004
structural = { stiffness = 150.0 }
"""
END = """
[coupling]
stiffness = 400.0
[limits]
overload_slots = 100000
overload_fraction = 1.0
overload_window_s = 10.0
[device]
name = "simulated"
script = "hand.csv"
"""


def held(position, radius):
    return f"""
[[body]]
name = "ball"
shape = "sphere"
radius = {radius}
role = "held"
position = {list(position)}
"""


class ShownWorld:
    """Files of a scene in a folder: scene.toml, hand.csv and its models. The ball presses `depth` deep and stays."""
    bodies = ()  # model file, or a function of the pose, of each body in order
    ball = 0.006  # m, radius
    touched = 0.0  # m, how far from the ball there are contacts as well

    def __init__(self, haptic, folder):
        self.haptic, self.folder = haptic, folder
        self.make()

    def must(self, *arguments):
        done = run(self.haptic, *arguments, cwd=self.folder)
        assert done.returncode == 0, (arguments, done.stderr)

    def hand(self, *way):
        """From rest to a place [m] in a second, and half a second there."""
        x, y, z = way
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n"
                                              f"1.0,{x},{y},{z},1,0,0,0\n1.5,{x},{y},{z},1,0,0,0\n")

    def surfaces(self, log, row):
        """@returns vertices, world, and triangles of each body at a row of a log; row -1 is the last"""
        with h5py.File(self.folder / log, "r") as file:
            poses = file["/state/bodies/pose"][row].reshape(-1, 7)
            coordinates = file["/state/bodies/coordinates"][row] if "coordinates" in file["/state/bodies"] else []
            cycle = file["/samples/cycle"][row]
            shown = {}
            if "display" in file:
                snapshot = numpy.searchsorted(file["/display_cycles/first"][:], cycle, side="right") - 1
                for name, vertices in file["/display/bodies/surface"].items():
                    shown[int(name)] = vertices[max(snapshot, 0)].reshape(-1, 3)
        return [self.surface(body, pose, coordinates, shown.get(index))
                for index, (body, pose) in enumerate(zip(self.bodies, poses))]

    def surface(self, body, pose, coordinates, shown):
        if callable(body):
            return body(pose[:3])
        with h5py.File(self.folder / body, "r") as model:
            vertices, triangles = model["/surface/vertices"][:], model["/surface/triangles"][:]
            if shown is not None:
                return shown, triangles
            if len(coordinates):
                vertices = vertices + (model["/surface/basis"][:] @ coordinates).reshape(-1, 3)
        w, axis = pose[3], pose[4:7]
        turned = numpy.cross(axis, vertices)
        return vertices + 2 * (w * turned + numpy.cross(axis, turned)) + pose[:3], triangles

    @staticmethod
    def force(file, row):
        """@returns the contact force of a row and where its arrow begins"""
        with h5py.File(file, "r") as log:
            return log["/samples/contact_force_N"][row], log["/samples/held_position_m"][row]


class Beam(ShownWorld):
    """A reduced beam, held at its low end in x; the ball bends its tip."""
    bodies = ("beam.h5", lambda place: sphere(place, Beam.ball))

    def make(self):
        bake_beam(self.haptic, self.folder, beam_recipe(20, 0.01, 6, 8, 800, 3))
        with h5py.File(self.folder / "beam.h5", "r") as model:
            vertices = model["/surface/vertices"][:]
        self.tip = vertices[vertices[:, 0].argmax()]
        top = vertices[:, 1].max()
        start = [float(self.tip[0]) - self.ball, float(top) + self.ball + 0.005, 0.0]
        self.hand(0, -0.05, 0)
        (self.folder / "scene.toml").write_text("""rate_hz = 1000
[[body]]
name = "beam"
model = "beam.h5"
role = "anchored"
""" + held(start, self.ball) + """
[[contact]]
points = "beam"
field = "ball"
stiffness = 100.0
damping = 5.0
""" + END)


class Condensed(ShownWorld):
    """A condensed cube, its bottom fixed; the ball's middle presses it and drags it aside."""
    ball = 0.004
    bodies = ("cube.h5", lambda place: sphere(place, Condensed.ball))

    def make(self):
        (self.folder / "cube.toml").write_text(CONDENSED_CUBE)
        self.must("mesh", "box", "--set", "resolution=12", "-o", "cube.obj")
        self.must("bake", "cube.toml", "-o", "cube.h5")
        self.hand(0.03, -0.02, 0)
        (self.folder / "scene.toml").write_text("""world = "condensed"
rate_hz = 1000
[[body]]
name = "cube"
model = "cube.h5"
role = "anchored"
""" + held([0.0, 0.055, 0.0], self.ball) + """
[condensed]
coupling = "multipliers"
modes = 10
[contact]
points = [0.0, 0.0, 0.0]
friction = 0.6
""" + END)


class Cloth(ShownWorld):
    """A sheet that hangs over a box; the ball presses it onto the box."""
    ball = 0.01
    touched = 0.13  # half the diagonal of the table
    bodies = ("sheet.h5", lambda place: box(place, [0.18, 0.02, 0.18]), lambda place: sphere(place, Cloth.ball))

    def make(self):
        (self.folder / "sheet.toml").write_text(SHEET)
        self.must("bake", "sheet.toml", "-o", "sheet.h5")
        self.hand(0, -0.034, 0)
        (self.folder / "scene.toml").write_text("""world = "cloth"
rate_hz = 1000
[[body]]
name = "sheet"
model = "sheet.h5"
role = "anchored"
position = [-0.15, 0.003, 0.15]
orientation = [0.70710678, -0.70710678, 0.0, 0.0]
[[body]]
name = "table"
shape = "box"
x = 0.18
y = 0.02
z = 0.18
role = "anchored"
position = [0.0, -0.01, 0.0]
""" + held([0.0, 0.04, 0.0], self.ball) + """
[cloth]
body = "sheet"
drag = 2e-4
thickness = 0.002
[contact]
stiffness = 300.0
friction = 0.3
""" + END)


KINDS = {"solids": Beam, "condensed": Condensed, "cloth": Cloth}

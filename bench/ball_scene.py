"""A scene of the measurements with a whole daemon: a ball of 2,000 points that a scripted hand moves on a plane."""
import subprocess

RECIPE = """
[source]
mesh = "ball.obj"
length = 0.03
[material]
density = 1000.0
[shell]
points = 2000
levels = 3
"""
SCENE = """
rate_hz = {rate}
[[body]]
name = "floor"
shape = "plane"
size = 0.2
role = "anchored"
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
position = [0.0, 0.0, 0.03]
[[contact]]
points = "ball"
field = "floor"
stiffness = 300.0
temporal_coherence = true
[coupling]
stiffness = 400.0
permitted_depth = 0.003
[device]
name = "simulated"
script = "hand.csv"
"""


def run(*command, **options):
    """@returns what a program prints that must succeed"""
    return subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def make_ball(haptic, folder, seconds):
    """ball.h5 and hand.csv: down on the plane, along it, up and back, a second each."""
    (folder / "ball.toml").write_text(RECIPE)
    rows = ["time_s,x_m,y_m,z_m,qw,qx,qy,qz"]
    for step in range(int(seconds) + 2):
        x, z = [(0, 0), (0, -0.018), (0.02, -0.018), (0.02, 0)][step % 4]
        rows.append(f"{step},{x},0,{z},1,0,0,0")
    (folder / "hand.csv").write_text("\n".join(rows) + "\n")
    run(haptic, "mesh", "sphere", "--length", "0.03", "-o", folder / "ball.obj")
    run(haptic, "bake", folder / "ball.toml", "-o", folder / "ball.h5")


def write_scene(folder, rate):
    """@returns scene.toml at this rate [Hz]"""
    path = folder / "scene.toml"
    path.write_text(SCENE.format(rate=rate))
    return path

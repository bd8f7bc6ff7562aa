"""Scenes stepped in this process, compared bit for bit with `haptic simulate`."""
import json
import signal
import threading
import time

import numpy as np
import pytest

import hapticd
from conftest import PROGRAMS
from programs import run
from scenes import write_press


@pytest.fixture
def scene(tmp_path):
    return write_press(tmp_path)


def simulated(scene, *options):
    log = scene.parent / "simulated.h5"
    done = run(PROGRAMS["haptic"], "simulate", scene, *options, "-o", log)
    assert done.returncode == 0, done.stderr
    return hapticd.Log(log)


COLUMNS = {"device_force_N": ("device_wrench", "force_N"), "device_torque_Nm": ("device_wrench", "torque_Nm"),
           "wanted_force_N": ("wanted_wrench", "force_N"), "contact_force_N": ("contact_wrench", "force_N"),
           "device_position_m": ("device_pose", "position_m"), "held_position_m": ("held_pose", "position_m"),
           "held_orientation_wxyz": ("held_pose", "orientation_wxyz"), "ramp": ("ramp",),
           "device_velocity_m_s": ("device_twist", "linear_m_s"), "port_energy_J": ("port_energy_J",),
           "state": ("state",), "limited": ("limited",), "world_step": ("world_step",), "buttons": ("buttons",)}


def assert_same_bits(samples, log):
    assert len(samples) == log.rows
    for column, path in COLUMNS.items():
        value = samples.records
        for key in path:
            value = value[key]
        assert np.ascontiguousarray(value).tobytes() == log[column].tobytes(), column
    for block in log.blocks:
        assert np.ascontiguousarray(samples.block(block.name)).tobytes() == log.block(block.name).tobytes(), block.name


def test_given_hand_equals_simulate_bit_for_bit(scene):
    log = simulated(scene)
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    samples = loaded.world().step(hand.poses, hand.twists, hand.buttons)
    assert_same_bits(samples, log)
    assert np.abs(log["device_force_N"]).max() > 1.0  # there was something to feel


def test_scripted_hand_equals_simulate_bit_for_bit(scene):
    scene.write_text(scene.read_text() + 'hand = "spring-damper"\n')
    log = simulated(scene)
    assert_same_bits(hapticd.Scene(scene).scripted_world().advance(log.rows), log)


def test_steps_one_by_one_equal_steps_at_once(scene):
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    at_once = loaded.world().step(hand.poses, hand.twists)
    world = loaded.world()
    for i in range(0, 200):
        one = world.step(hand.poses[i], hand.twists[i])
        assert one.records.tobytes() == at_once.records[i:i + 1].tobytes()
        assert one.state.tobytes() == at_once.state[i:i + 1].tobytes()
    assert world.cycles == 200
    name = "bodies/pose"
    assert world.block(name).tobytes() == np.ascontiguousarray(at_once.block(name)[199]).tobytes()


def test_twist_without_one_is_the_difference(scene):
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    samples = loaded.world().step(hand.poses)
    found = samples["device_twist"]["linear_m_s"][1:]
    assert np.all(samples["device_twist"]["linear_m_s"][0] == 0)
    np.testing.assert_array_equal(found, (hand.poses[1:, :3] - hand.poses[:-1, :3]) * loaded.rate_hz)
    # The script turns about z at its segment's exact rate, the difference over a cycle averages two segments at most.
    np.testing.assert_allclose(samples["device_twist"]["angular_rad_s"][1:], hand.twists[:-1, 3:], atol=0.1)


def test_two_runs_are_identical_and_parameters_matter(scene):
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    runs = [loaded.world().step(hand.poses, hand.twists).records.tobytes() for _ in range(2)]
    assert runs[0] == runs[1]
    world = loaded.world()
    before = world.parameters()["coupling.stiffness"]
    assert before.value == 200.0 and before.minimum < 200.0 < before.maximum
    world.set("coupling.stiffness", 100.0)
    assert world.step(hand.poses, hand.twists).records.tobytes() != runs[0]
    assert world.parameters()["coupling.stiffness"].value == 100.0


def test_set_reaches_the_limits_of_the_servo(scene):
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    free = loaded.world().step(hand.poses, hand.twists)
    most = np.linalg.norm(free["device_wrench"]["force_N"], axis=1).max()
    world = loaded.world()
    limit = world.parameters()["limits.force"]
    assert limit.value > most and limit.minimum == 0.0
    world.set("limits.force", 0.5 * most)
    assert world.parameters()["limits.force"].value == 0.5 * most
    limited = np.linalg.norm(world.step(hand.poses, hand.twists)["device_wrench"]["force_N"], axis=1)
    # The limit is reached; the last product rounds.
    assert np.isclose(limited.max(), 0.5 * most, rtol=1e-12)
    with pytest.raises(hapticd.InputError, match="limits.force.* to "):
        world.set("limits.force", -1.0)
    with pytest.raises(hapticd.InputError, match="limits.force"):
        world.set("limits.forse", 1.0)
    with pytest.raises(hapticd.InputError):
        world.set("limits.force", float("nan"))
    assert world.parameters()["limits.force"].value == 0.5 * most


@pytest.mark.parametrize("bad, words", [
    (np.full(7, np.nan), "not finite"),
    ([0, 0, 0, 2, 0, 0, 0], "norm 2"),
    (np.zeros((3, 6)), "shape (3, 6)"),
])
def test_bad_hands_are_input_errors(scene, bad, words):
    with pytest.raises(hapticd.InputError, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
        hapticd.Scene(scene).world().step(bad)
    assert isinstance(caught.value, ValueError)


def test_bad_scenes_and_keys_are_input_errors(scene):
    world = hapticd.Scene(scene).world()
    with pytest.raises(hapticd.InputError, match="coupling.stiffness"):
        world.set("coupling.stifness", 1.0)
    with pytest.raises(hapticd.InputError, match="to"):
        world.set("coupling.stiffness", -1.0)
    with pytest.raises(hapticd.InputError, match="no block"):
        world.block("bodies/poses")
    with pytest.raises(hapticd.InputError, match="advance|step"):
        world.advance(3)
    scene.write_text("rate_hz = -1\n")
    with pytest.raises(hapticd.InputError, match="scene.toml.*rate_hz"):
        hapticd.Scene(scene)
    with pytest.raises(hapticd.InputError):
        hapticd.Scene(scene.parent / "none.toml")


def test_a_fault_is_an_error_with_the_samples_up_to_it(scene):
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    scene.write_text(scene.read_text().replace("ramp_s = 0.02", "ramp_s = 0.02\nworkspace_radius = 0.02"))
    world = hapticd.Scene(scene).world()
    with pytest.raises(hapticd.OperationError, match="fault workspace_limit") as caught:
        world.step(hand.poses, hand.twists)
    samples = caught.value.samples
    assert 0 < len(samples) < len(hand.poses)
    assert hapticd.FAULTS[samples["fault"][-1]] == "workspace_limit"
    assert np.all(samples["device_wrench"]["force_N"][-1] == 0)
    with pytest.raises(hapticd.OperationError, match="fault workspace_limit"):
        world.step(hand.poses[0])


def test_other_threads_run_during_long_runs(scene):
    """The interpreter's lock is free: a thread sees the run unfinished and counts meanwhile."""
    loaded = hapticd.Scene(scene)
    hand = loaded.hand()
    poses, twists = np.tile(hand.poses[:1], (20000, 1)), np.zeros((20000, 6))
    world, running, counted = loaded.world(), threading.Event(), []

    def count():
        running.set()
        while not counted or counted[-1] < 20000:
            counted.append(world.cycles)

    thread = threading.Thread(target=count)
    thread.start()
    running.wait()
    world.step(poses, twists)
    thread.join()
    assert any(0 < n < 20000 for n in counted)


def test_a_world_refuses_two_threads_at_once(scene):
    world, refused = hapticd.Scene(scene).world(), []
    stepping = threading.Thread(target=lambda: world.step(np.tile([0.0, 0, 0, 1, 0, 0, 0], (50000, 1))))
    stepping.start()
    while world.cycles < 50000:
        if world.cycles == 0:
            continue
        try:
            world.block("bodies/pose")
        except hapticd.OperationError as error:
            refused.append(str(error))
    stepping.join()
    assert "world: another thread is stepping it" in refused
    assert world.cycles == 50000 and world.block("bodies/pose").shape == (2, 7)


def test_a_long_step_is_interrupted_and_keeps_its_cycles(scene):
    world = hapticd.Scene(scene).world()
    poses, twists = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (400_000, 1)), np.zeros((400_000, 6))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        world.step(poses[:2], twists[:2])

        def interrupt():
            while world.cycles < 1000:
                time.sleep(0.001)
            signal.raise_signal(signal.SIGALRM)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            world.step(poses, twists)
        thread.join()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert 998 <= len(caught.value.samples) < 400_000
    assert world.cycles == 2 + len(caught.value.samples)
    assert world.step(poses[0], twists[0])["cycle"][0] == 2 + len(caught.value.samples)


def test_what_is_no_number_is_named(scene):
    world = hapticd.Scene(scene).world()
    with pytest.raises(hapticd.InputError, match="^coupling.stiffness: found 'soft', expected a number$"):
        world.set("coupling.stiffness", "soft")
    with pytest.raises(hapticd.InputError, match="^key: found 5, expected the name of a parameter$"):
        world.set(5, 1.0)
    with pytest.raises(hapticd.InputError, match="found norm 0, expected a unit quaternion"):
        world.step(np.zeros(7))
    for bad in (-1, 1.5, None, 10**30):
        with pytest.raises(hapticd.InputError, match="^cycles: found .*, expected a whole number >= 0$"):
            hapticd.Scene(scene).scripted_world().advance(bad)
    scene.with_name("past.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n-5,0,0,0,1,0,0,0\n-2,0,0,0,1,0,0,0\n")
    with pytest.raises(hapticd.InputError, match="past.csv:3: time_s: found -2 s, expected times within 1e.06 s of 0, the last one not before 0"):
        world.scene.hand(scene.with_name("past.csv"))
    assert repr(world) == f"<World of {scene}, 2 bodies, 0 cycles>"
    assert repr(world.scene) == f"<Scene {scene}, 500 Hz>"


def test_physical_warnings_of_run_log_and_simulate_are_the_same(scene):
    world = hapticd.Scene(scene).world()
    hand = world.scene.hand()
    world.step(hand.poses, hand.twists, hand.buttons)
    assert "force_limited" not in [warning.name for warning in world.physical_warnings()]
    scene.write_text(scene.read_text().replace("[limits]\n", "[limits]\nforce = 0.2\n"))
    world = hapticd.Scene(scene).world()
    samples = world.step(hand.poses, hand.twists, hand.buttons)
    found = {warning.name: warning for warning in world.physical_warnings()}
    limited = (samples["limited"] & 0b10011) != 0  # force, torque or power
    assert found["force_limited"].held_s == pytest.approx(np.count_nonzero(limited) / world.rate_hz)
    assert found["force_limited"].last_cycle == np.flatnonzero(limited)[-1]
    log = scene.parent / "warned.h5"
    done = run(PROGRAMS["haptic"], "simulate", scene, "-o", log, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)["physical_warnings"]
    logged = hapticd.Log(log).physical_warnings()
    assert logged == world.physical_warnings() == [hapticd.PhysicalWarning(**warning) for warning in said]
    for warning in logged:
        assert f"haptic: warning: {scene}: {warning.text}\n" in done.stderr

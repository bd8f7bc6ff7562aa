"""Scenes simulated in this process, with the cycle of `haptic simulate`."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hapticd
from .blocks import Blocks, PhysicalWarning, Samples
from .errors import InputError, OperationError
from .telemetry import Parameter, as_number


class Hand(NamedTuple):
    """A hand over time, device frame."""
    time_s: NDArray[Any]    #: n
    poses: NDArray[Any]     #: n x 7: x, y, z [m], orientation w, x, y, z
    twists: NDArray[Any]    #: n x 6: m/s, rad/s
    buttons: NDArray[Any]   #: n, a bit a button


class Scene:
    """A scene file. Raises InputError, naming file and key, if it is invalid."""

    def __init__(self, path: Union[str, os.PathLike[str]]):
        self.path = os.fspath(path)
        self.rate_hz, self.script, self.length_scale = _hapticd.check_scene(self.path)

    def __repr__(self) -> str:
        return f"<Scene {self.path}, {self.rate_hz:g} Hz>"

    def world(self) -> World:
        """A world at rest whose hand is given to step()."""
        return World(self, scripted=False)

    def scripted_world(self) -> World:
        """A world whose hand is the scene's simulated one, with its own springs: advance() runs it."""
        return World(self, scripted=True)

    def hand(self, script: Union[str, os.PathLike[str], None] = None) -> Hand:
        """The scene's hand script, or another (CSV), at the cycles of the scene."""
        script = script or self.script
        if not script:
            raise InputError(f"{self.path}: device.script: found no hand script")
        return Hand(*_hapticd.sampled_script(script, self.rate_hz))


class World:
    """Bodies, contacts, coupling and limits of a scene, engaged from the first cycle on.

    One thread at a time may use it: OperationError otherwise. Different worlds run in parallel.
    """

    def __init__(self, scene: Scene, *, scripted: bool):
        self.scene = scene
        self._world = _hapticd.OfflineWorld(scene.path, scripted)
        self.blocks = Blocks(self._world.blocks)
        self.bodies: list[dict[str, Any]] = self._world.bodies
        self.warnings: list[str] = self._world.warnings
        self._last: Optional[NDArray[Any]] = None

    def __repr__(self) -> str:
        return f"<World of {self.scene.path}, {len(self.bodies)} bodies, {self.cycles} cycles>"

    @property
    def rate_hz(self) -> float:
        """Cycles a second."""
        return self._world.rate_hz

    @property
    def cycles(self) -> int:
        """Cycles so far."""
        return self._world.cycles

    def step(self, pose: ArrayLike, twist: Optional[ArrayLike] = None, buttons: Union[int, Sequence[int]] = 0) -> Samples:
        """One cycle with the hand at `pose` (7 numbers: x, y, z [m], w, x, y, z), or n cycles with n x 7.

        `twist`: 6 or n x 6 [m/s, rad/s]; without it, the difference to the pose before, times the rate (zero in the
        first cycle). The wrench on the hand is in the samples: s["device_wrench"]["force_N"]. Raises OperationError if
        a fault is latched; its `samples` are the cycles up to that of the fault. Ctrl-C ends the step within 0.1 s or
        a cycle; the KeyboardInterrupt has the cycles so far as `samples`, too, and the world goes on from there.
        """
        poses = np.array(pose, dtype=float)
        single = poses.ndim == 1
        poses = np.atleast_2d(poses)
        if poses.ndim != 2 or poses.shape[1] != 7:
            raise InputError(f"pose: found shape {np.shape(pose)}, expected 7 or n x 7")
        if twist is None:
            twists = self._differences(poses)
        else:
            twists = np.atleast_2d(np.array(twist, dtype=float))
            if twists.shape != (len(poses), 6):
                raise InputError(f"twist: found shape {np.shape(twist)}, expected {'6' if single else 'n x 6'}")
        pressed = np.broadcast_to(np.asarray(buttons, dtype=np.uint32), (len(poses),)).copy()
        result = self._world.step(poses, twists, pressed)
        if len(result[0]):
            self._last = poses[len(result[0]) - 1]
        return self._samples(result)

    def advance(self, cycles: int) -> Samples:
        """n cycles of a scripted_world()."""
        if not isinstance(cycles, (int, np.integer)) or not 0 <= cycles < 1 << 63:
            raise InputError(f"cycles: found {cycles!r}, expected a whole number >= 0")
        return self._samples(self._world.advance(cycles))

    def block(self, name: str) -> NDArray[Any]:
        """Present values of a state block, in its unit: a copy of its shape."""
        return self._world.block(name)

    def physical_warnings(self) -> list[PhysicalWarning]:
        """Where the hand has felt, or a body has done, something else than what the scene describes, since the first
        cycle; empty if all is well. What is known before the first cycle is in `warnings`."""
        return [PhysicalWarning(**found) for found in self._world.physical_warnings()]

    def parameters(self) -> dict[str, Parameter]:
        """Of set()."""
        return {key: Parameter(*values) for key, values in self._world.parameters().items()}

    def set(self, key: str, value: float) -> None:
        """Changes a parameter from the next cycle on, SI units."""
        self._world.set(key, as_number(key, value))

    def _samples(self, result: tuple[NDArray[Any], NDArray[Any], str, Optional[BaseException]]) -> Samples:
        records, state, fault, interruption = result
        samples = Samples(records, state, self.blocks)
        if interruption is not None:
            interruption.samples = samples  # type: ignore[attr-defined]
            raise interruption
        if fault:
            error = OperationError(fault)
            error.samples = samples
            raise error
        return samples

    def _differences(self, poses: NDArray[Any]) -> NDArray[Any]:
        before = poses[:1] if self._last is None else self._last[None]
        earlier = np.vstack([before, poses[:-1]]) if len(poses) else poses
        twists = np.empty((len(poses), 6))
        twists[:, :3] = (poses[:, :3] - earlier[:, :3]) * self.rate_hz
        w0, v0, w1, v1 = earlier[:, 3:4], earlier[:, 4:], poses[:, 3:4], poses[:, 4:]
        scalar = w1 * w0 + np.sum(v1 * v0, axis=1, keepdims=True)  # of q1 conj(q0)
        vector = w0 * v1 - w1 * v0 - np.cross(v1, v0)
        vector = np.where(scalar < 0, -vector, vector)
        length = np.linalg.norm(vector, axis=1, keepdims=True)
        angle = 2.0 * np.arctan2(length, np.abs(scalar))
        twists[:, 3:] = vector * np.where(length > 0, angle / np.where(length > 0, length, 1.0), 2.0) * self.rate_hz
        return twists

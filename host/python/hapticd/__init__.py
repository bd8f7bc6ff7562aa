"""hapticd in Python: live telemetry, commands, logs, models, offline simulation, experiments (docs/python.md).

SI units everywhere; quaternions are w, x, y, z, unit, material to world.
"""
from ._hapticd import __version__
from .blocks import Block, Blocks, PhysicalWarning, Samples
from .errors import Error, InputError, LayoutMismatch, NoDaemon, OperationError, Refused, Truncated
from .log import Log
from .model import Model
from .scene import Hand, Scene, World
from .session import Session
from .telemetry import FAULTS, STATES, Latency, Parameter, Telemetry, record_types

__all__ = ["Block", "Blocks", "Error", "FAULTS", "Hand", "InputError", "Latency", "LayoutMismatch", "Log", "Model",
           "NoDaemon", "OperationError", "Parameter", "PhysicalWarning", "Refused", "STATES", "Samples", "Scene", "Session", "Telemetry",
           "Truncated", "World", "__version__", "record_types"]

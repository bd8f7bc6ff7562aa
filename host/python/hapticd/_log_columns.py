"""Names of what a log has (docs/logs.md). Each is looked up: to list what a damaged file has may crash HDF5."""
from __future__ import annotations

from . import _hapticd

#: Columns of /samples, numbers in a row.
SAMPLES: dict[str, int] = {"time_s": 1, **_hapticd.log_columns["samples"]}
#: Columns of /timing.
TIMING = tuple(_hapticd.log_columns["timing"])
#: Columns of /events; those of texts.
EVENTS = tuple(_hapticd.log_columns["events"])
EVENT_TEXTS = tuple(name for name, width in _hapticd.log_columns["events"].items() if width == 0)
#: Those of which a float that is no number has no meaning.
EVENT_WHOLE = ("number", "cycle", "kind", "command", "answer")

#: Groups of every log, and of those of hapticd.
OF_ALL = ("bodies", "blocks")
OF_DAEMON = ("timing", "events", "gaps", "session", "parameters")

# Attributes.
OF_FILE = ("device_stiffness_N_m", "format", "length_scale", "lost_samples", "rate_hz", "scene", "source")
OF_BODY = ("coordinate_count", "first_coordinate", "held", "model", "model_hash", "name")
OF_BLOCK = ("description", "display", "measured", "name", "rate", "shape", "unit")
OF_SESSION = ("daemon_date", "scene_is_newer")

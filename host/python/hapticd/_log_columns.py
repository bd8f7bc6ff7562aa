"""Names of what a log has (docs/logs.md). Each is looked up: to list what a damaged file has may crash HDF5."""
from __future__ import annotations

#: Columns of /samples, numbers in a row.
SAMPLES: dict[str, int] = {
    "time_s": 1, "cycle": 1, "state": 1, "fault": 1, "buttons": 1, "limited": 1, "device_position_m": 3,
    "device_orientation_wxyz": 4, "device_velocity_m_s": 3, "device_angular_velocity_rad_s": 3,
    "manipulandum_position_m": 3, "manipulandum_orientation_wxyz": 4, "held_position_m": 3,
    "held_orientation_wxyz": 4, "device_force_N": 3, "device_torque_Nm": 3, "wanted_force_N": 3,
    "wanted_torque_Nm": 3, "contact_force_N": 3, "contact_torque_Nm": 3, "ramp": 1, "port_energy_J": 1,
    "port_damping_N_s_m": 1, "port_damping_Nm_s": 1, "world_step": 1, "world_hand_age": 3,
}

#: Columns of /timing.
TIMING = (
    "scheduled_ns", "missed", "wake_ns", "sense_ns", "couple_ns", "touch_ns", "move_ns", "feel_ns", "publish_ns",
    "world_age_ns", "total_ns",
)

#: Columns of /events; those of texts.
EVENTS = (
    "number", "time_ns", "cycle", "kind", "command", "answer", "fault", "executed", "uid", "pid", "value", "key",
    "client", "text", "pull_point_x", "pull_point_y", "pull_point_z", "pull_target_x", "pull_target_y",
    "pull_target_z", "pull_stiffness", "pull_limit", "pull_is_relative",
)
EVENT_TEXTS = ("key", "client", "text")
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

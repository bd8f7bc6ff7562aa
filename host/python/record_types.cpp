#include "host/python/record_types.h"

#include <string>
#include <string_view>

namespace haptic {
namespace py = pybind11;

py::list describe_blocks(const StateLayout& state) {
  py::list list;
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    py::tuple shape(block.shape.size());
    for (std::size_t k = 0; k < block.shape.size(); ++k) shape[k] = block.shape[k];
    py::dict entry;
    entry["name"] = block.name;
    entry["unit"] = block.unit;
    entry["meaning"] = block.meaning;
    entry["shape"] = shape;
    entry["display"] = static_cast<int>(block.display);
    entry["rate"] = block.rate == StateRate::kCycle ? "cycle" : "display";
    entry["measured"] = block.measured;
    entry["offset"] = state.offset(i);
    list.append(entry);
  }
  return list;
}

py::list describe_warnings(std::span<const WarningFinding> findings) {
  py::list list;
  for (const WarningFinding& finding : findings) {
    py::dict entry;
    entry["name"] = std::string(finding.warning->name);
    entry["text"] = finding.text();
    entry["held_s"] = finding.held_s();
    entry["last_cycle"] = finding.record.last_cycle;
    entry["largest"] = finding.record.largest;
    list.append(entry);
  }
  return list;
}

namespace {

template <class Names>
py::list names_of(const Names& names) {
  py::list list;
  for (const std::string_view name : names) list.append(std::string(name));
  return list;
}

}  // namespace

void bind_record_types(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(PoseRecord, position_m, orientation_wxyz);
  PYBIND11_NUMPY_DTYPE(TwistRecord, linear_m_s, angular_rad_s);
  PYBIND11_NUMPY_DTYPE(WrenchRecord, force_N, torque_Nm);
  PYBIND11_NUMPY_DTYPE(SampleRecord, cycle, scheduled_ns, time_ns, state, fault, buttons, limited,
                       missed, device_pose, device_twist, manipulandum_pose, held_pose,
                       device_wrench, wanted_wrench, contact_wrench, ramp, port_energy_J,
                       port_damping_N_s_m, port_damping_Nm_s, world_step, world_age_ns,
                       world_hand_age, wake_ns, sense_ns, couple_ns, touch_ns, move_ns, feel_ns,
                       publish_ns, total_ns);
  PYBIND11_NUMPY_DTYPE(BodyRecord, name, model_path, model_hash, first_coordinate, coordinate_count,
                       held);
  PYBIND11_NUMPY_DTYPE(BlockRecord, name, unit, meaning, shape, display, rate, dimensions,
                       measured);
  PYBIND11_NUMPY_DTYPE(ParameterRecord, name, minimum, maximum, value);
  PYBIND11_NUMPY_DTYPE(PullRequest, point, target, stiffness, limit, is_relative);
  PYBIND11_NUMPY_DTYPE(EventRecord, number, time_ns, cycle, kind, command, answer, fault, pid, uid,
                       executed, value, key, client, pull, text);
  PYBIND11_NUMPY_DTYPE(OperatorRecord, sequence, since_ns, pid, uid, client);
  PYBIND11_NUMPY_DTYPE(Counters, cycles, missed, world_missed, overruns, allocations,
                       page_faults_minor, page_faults_major, involuntary_switches,
                       world_involuntary_switches, forbidden_calls, limited_cycles,
                       commands_applied, commands_refused, command_garbage, dropped_messages,
                       black_boxes, faults);
  PYBIND11_NUMPY_DTYPE(Histogram, maximum_ns, sum_ns, buckets);
  PYBIND11_NUMPY_DTYPE(WarningRecord, cycles, last_cycle, spell, longest_spell, largest);
  PYBIND11_NUMPY_DTYPE(Statistics, counters, warnings, wake, compute, device);
  PYBIND11_NUMPY_DTYPE(TelemetryHeader, magic, version, header_size, layout_hash, total_size,
                       instance, closed, daemon_pid, start_monotonic_ns, start_realtime_ns,
                       scene_modified_ns, manifest_modified_ns, rate_hz, length_scale,
                       force_limit_N, torque_limit_Nm, device_stiffness_N_m, body_count,
                       block_count, grants, ring_capacity, parameter_count, bodies_offset,
                       blocks_offset, parameters_offset, statistics_offset, events_offset,
                       ring_offset, ring_stride, ring_head, settled, display_offset, display_stride,
                       holder, daemon_version, device, scene_path, manifest_path);
  py::dict types;
  types["PoseRecord"] = py::dtype::of<PoseRecord>();
  types["TwistRecord"] = py::dtype::of<TwistRecord>();
  types["WrenchRecord"] = py::dtype::of<WrenchRecord>();
  types["SampleRecord"] = py::dtype::of<SampleRecord>();
  types["BodyRecord"] = py::dtype::of<BodyRecord>();
  types["BlockRecord"] = py::dtype::of<BlockRecord>();
  types["ParameterRecord"] = py::dtype::of<ParameterRecord>();
  types["PullRequest"] = py::dtype::of<PullRequest>();
  types["EventRecord"] = py::dtype::of<EventRecord>();
  types["OperatorRecord"] = py::dtype::of<OperatorRecord>();
  types["Counters"] = py::dtype::of<Counters>();
  types["Histogram"] = py::dtype::of<Histogram>();
  types["WarningRecord"] = py::dtype::of<WarningRecord>();
  types["Statistics"] = py::dtype::of<Statistics>();
  types["TelemetryHeader"] = py::dtype::of<TelemetryHeader>();
  py::list watched;
  for (const PhysicalWarning& warning : kPhysicalWarnings) {
    for (const std::string_view block : {warning.block, warning.over}) {
      if (!block.empty()) watched.append(std::string(block));
    }
  }
  module.attr("WATCHED_BLOCKS") = py::tuple(watched);
  module.attr("record_types") = types;
  module.attr("STATES") = py::tuple(names_of(kServoStateNames));
  module.attr("FAULTS") = py::tuple(names_of(kFaultNames));
}

}  // namespace haptic

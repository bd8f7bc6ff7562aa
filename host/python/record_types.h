#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>

#include "shared/ipc/command.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/state/physical_warnings.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// One value, a copy, as a structured numpy scalar.
template <class Record>
pybind11::object numpy_scalar(const Record& record) {
  pybind11::array_t<Record> one(1);
  *one.mutable_data() = record;
  return one[pybind11::int_(0)];
}

/// The blocks of a state: a list of dicts with name, unit, meaning, shape, display, rate, measured
/// and offset, the index of the first of its values within those of its rate.
pybind11::list describe_blocks(const StateLayout& state);

/// A list of dicts with name, text, held_s, last_cycle and largest.
pybind11::list describe_warnings(std::span<const WarningFinding> findings);

/// Makes dtypes of the shared records, from the structs themselves, and adds them to the module.
void bind_record_types(pybind11::module_& module);

void bind_telemetry(pybind11::module_& module);
void bind_commands(pybind11::module_& module);
void bind_models(pybind11::module_& module);
void bind_offline(pybind11::module_& module);

}  // namespace haptic

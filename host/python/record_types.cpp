#include "host/python/record_types.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/log/log_columns.h"

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

template <class Record>
void add_type(py::dict& types, const char* name, std::vector<py::detail::field_descriptor> fields) {
  std::erase_if(fields,
                [](const auto& field) { return std::string_view(field.name) == "reserved"; });
  py::detail::npy_format_descriptor<Record>::register_dtype(std::move(fields));
  types[name] = py::dtype::of<Record>();
}

/// {"samples": {"ramp": 1, ...}, "timing": ..., "events": {"key": 0, ...}}: the columns of logs and
/// the numbers in a row of each; 0 of a text.
py::dict log_columns() {
  py::dict groups;
  for (const auto& [group, columns] :
       {std::pair{"samples", sample_columns()}, std::pair{"timing", timing_columns()},
        std::pair{"events", event_columns()}}) {
    py::dict widths;
    for (const LogColumn& column : columns) {
      const std::string name = column.name.substr(column.name.rfind('/') + 1);
      widths[name.c_str()] = column.type == FieldType::kText ? 0 : column.width;
    }
    groups[group] = widths;
  }
  return groups;
}

}  // namespace

void bind_record_types(py::module_& module) {
  py::dict types;
#define HAPTIC_NUMPY_FIELD(type, name, ...) PYBIND11_FIELD_DESCRIPTOR(Self, name),
#define HAPTIC_NUMPY_TYPE(Record)                                                      \
  {                                                                                    \
    using Self = Record;                                                               \
    add_type<Record>(types, #Record, {HAPTIC_FIELDS_OF_##Record(HAPTIC_NUMPY_FIELD)}); \
  }
  HAPTIC_RECORDS(HAPTIC_NUMPY_TYPE)
#undef HAPTIC_NUMPY_TYPE
#undef HAPTIC_NUMPY_FIELD
  py::list watched;
  for (const PhysicalWarning& warning : kPhysicalWarnings) {
    for (const std::string_view block : {warning.block, warning.over}) {
      if (!block.empty()) watched.append(std::string(block));
    }
  }
  module.attr("WATCHED_BLOCKS") = py::tuple(watched);
  module.attr("record_types") = types;
  module.attr("log_columns") = log_columns();
  module.attr("STATES") = py::tuple(names_of(kServoStateNames));
  module.attr("FAULTS") = py::tuple(names_of(kFaultNames));
}

}  // namespace haptic

// Telemetry of a running daemon as numpy arrays, copied out of shared memory.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/python/record_types.h"
#include "shared/error.h"
#include "shared/ipc/daemon_life_name.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/ipc/warning_watch.h"
#include "shared/printable.h"

namespace haptic {
namespace py = pybind11;
namespace {

[[noreturn]] void raise(const char* type, const char* text) {
  PyErr_SetString(py::module_::import("hapticd.errors").attr(type).ptr(), printable(text).c_str());
  throw py::error_already_set();
}

TelemetryReader open_telemetry(const std::string& daemon_name) {
  check_daemon_name(daemon_name);
  try {
    return TelemetryReader(daemon_name);
  } catch (const InputError& error) {
    raise("LayoutMismatch", error.what());
  } catch (const OperationError& error) {
    raise("NoDaemon", error.what());
  }
}

template <class Record>
py::array_t<Record> numpy_of(const std::vector<Record>& records) {
  return py::array_t<Record>(static_cast<py::ssize_t>(records.size()), records.data());
}

/// Samples in order, at most `most`: records (n) and values of the blocks of every cycle (n x v).
py::tuple read_samples(TelemetryReader& reader, std::size_t most) {
  std::vector<SampleRecord> records;
  std::vector<double> values;
  TelemetrySample sample;
  while (records.size() < most && reader.next(sample)) {
    records.push_back(sample.record);
    values.insert(values.end(), sample.state.begin(), sample.state.end());
  }
  const auto rows = static_cast<py::ssize_t>(records.size());
  const auto columns = static_cast<py::ssize_t>(reader.state().cycle_values());
  return py::make_tuple(numpy_of(records), py::array_t<double>({rows, columns}, values.data()));
}

py::object newest_sample(const TelemetryReader& reader) {
  TelemetrySample sample;
  if (!reader.newest(sample)) return py::none();
  return py::make_tuple(
      numpy_scalar(sample.record),
      py::array_t<double>(static_cast<py::ssize_t>(sample.state.size()), sample.state.data()));
}

py::object newest_display(const TelemetryReader& reader) {
  DisplaySnapshot snapshot;
  if (!reader.display(snapshot)) return py::none();
  return py::make_tuple(
      snapshot.first_cycle, snapshot.last_cycle,
      py::array_t<float>(static_cast<py::ssize_t>(snapshot.state.size()), snapshot.state.data()));
}

py::object scene_text(const TelemetryReader& reader) {
  const std::optional<SessionTexts> texts = reader.texts();
  if (!texts) return py::none();
  return py::bytes(texts->scene);
}

/// Of columns of a log. @param blocks  values of state blocks of one number, by name, as many as
/// cycles
py::list logged_warnings(const py::array_t<std::uint64_t>& cycles,
                         const py::array_t<std::uint32_t>& limited,
                         const std::map<std::string, py::array_t<double>>& blocks, double rate_hz) {
  std::vector<StateBlock> described;
  for (const auto& [block, values] : blocks) {
    if (values.ndim() != 1 || values.size() != cycles.size()) {
      throw InputError(block, "", "found a column of another length", "a value per cycle");
    }
    described.push_back({.name = block});
  }
  if (limited.size() != cycles.size()) {
    throw InputError("limited", "", "found a column of another length", "a value per cycle");
  }
  const WarningWatch watch(StateLayout(std::move(described)), rate_hz, 0);
  std::array<WarningRecord, kPhysicalWarningCount> records{};
  SampleRecord sample{};
  std::vector<double> state(blocks.size());
  for (py::ssize_t row = 0; row < cycles.size(); ++row) {
    sample.cycle = cycles.at(row);
    sample.limited = limited.at(row);
    std::size_t i = 0;
    for (const auto& [block, values] : blocks) state[i++] = values.at(row);
    watch.observe(sample, state, records);
  }
  return describe_warnings(find_warnings(records, rate_hz));
}

}  // namespace

void bind_telemetry(py::module_& module) {
  py::class_<TelemetryReader>(module, "TelemetryReader")
      .def(py::init(&open_telemetry), py::arg("name"))
      .def_property_readonly("header",
                             [](const TelemetryReader& r) { return numpy_scalar(r.header()); })
      .def_property_readonly("bodies",
                             [](const TelemetryReader& r) { return numpy_of(r.bodies()); })
      .def_property_readonly("blocks",
                             [](const TelemetryReader& r) { return describe_blocks(r.state()); })
      .def_property_readonly("lost", &TelemetryReader::lost)
      .def_property_readonly("published", &TelemetryReader::published)
      .def_property_readonly("grants", &TelemetryReader::grants)
      .def("read", &read_samples, py::arg("most"))
      .def("newest", &newest_sample)
      .def("display", &newest_display)
      .def("skip_to_newest", &TelemetryReader::skip_to_newest)
      .def("rewind_to_oldest", &TelemetryReader::rewind_to_oldest)
      .def("parameters", [](const TelemetryReader& r) { return numpy_of(r.parameters()); })
      .def(
          "events",
          [](const TelemetryReader& r, std::uint64_t from) { return numpy_of(r.events(from)); },
          py::arg("from_number") = 0)
      .def("holder", [](const TelemetryReader& r) { return numpy_scalar(r.holder()); })
      .def("statistics", [](const TelemetryReader& r) { return numpy_scalar(r.statistics()); })
      .def("physical_warnings",
           [](const TelemetryReader& r) {
             return describe_warnings(find_warnings(r.statistics().warnings, r.header().rate_hz));
           })
      .def("age_s", &TelemetryReader::age_s)
      .def("life", [](const TelemetryReader& r) { return name(r.life()); })
      .def("scene_text", &scene_text);
  module.def(
      "percentile_ns",
      [](const py::array_t<Histogram>& histogram, double p) {
        if (histogram.size() != 1) throw py::value_error("one histogram, please");
        return histogram.data()->percentile_ns(p);
      },
      py::arg("histogram"), py::arg("p"));
  module.def("logged_warnings", &logged_warnings, py::arg("cycles"), py::arg("limited"),
             py::arg("blocks"), py::arg("rate_hz"));
  module.def("bucket_edges_ns", [] {
    py::array_t<std::uint64_t> edges(Histogram::kBuckets);
    for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
      edges.mutable_at(i) = Histogram::upper_edge(i);
    }
    return edges;
  });
}

}  // namespace haptic

#include "host/unreduced/run_log.h"

#include <fmt/format.h>

#include <optional>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_output.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

struct RunLog::File {
  explicit File(const std::filesystem::path& path) : file(path) {}

  Hdf5Output file;  // before what lies in it
  std::optional<GrowingDataset> time, strain, kinetic, residual, iterations, probes, coordinates;
  std::optional<GrowingDataset> snapshot_time, snapshots;

  template <typename Body>
  void for_each_dataset(const Body& body) {
    for (auto* dataset : {&time, &strain, &kinetic, &residual, &iterations, &probes, &coordinates,
                          &snapshot_time, &snapshots}) {
      body(*dataset);
    }
  }
};

RunLog::RunLog(const std::filesystem::path& path, const RunLogLayout& layout)
    : file_(std::make_unique<File>(path)) {
  File& f = *file_;
  const hid_t id = f.file.id();
  write_attribute(id, "format", std::string("hapticd run 1"));
  for (const auto& [name, value] : layout.text) write_attribute(id, name, value);
  for (const auto& [name, value] : layout.numbers) write_attribute(id, name, value);
  { const Hdf5Handle group = make_hdf5_group(id, "/run"); }
  f.time.emplace(id, "/run/time_s", "s", "time at the end of the step; row 0 is the start", 1);
  f.strain.emplace(id, "/run/strain_energy_J", "J", "elastic energy W", 1);
  f.kinetic.emplace(id, "/run/kinetic_energy_J", "J", "1/2 u'.M u'", 1);
  f.residual.emplace(id, "/run/residual", "1",
                     "residual of the equation of motion over the forces in it; 0: not computed",
                     1);
  f.iterations.emplace(id, "/run/newton_iterations", "1", "Newton iterations of the step", 1);
  if (layout.coordinates > 0) {
    f.coordinates.emplace(id, "/run/coordinates", "m kg^1/2", "reduced coordinates q",
                          layout.coordinates);
  }
  if (!layout.probes.empty()) {
    const Hdf5Handle group = make_hdf5_group(id, "/probes");
    GrowingDataset vertices(id, "/probes/vertex", "1",
                            "vertex of each probe, the nearest one to a point", 1);
    for (const std::uint32_t v : layout.probes) {
      const auto value = static_cast<double>(v);
      vertices.append(&value);
    }
    vertices.flush();
    f.probes.emplace(id, "/probes/displacement_m", "m", "x, y, z of each probe in turn",
                     3 * layout.probes.size());
  }
  if (layout.snapshot_values > 0) {
    const Hdf5Handle mesh = make_hdf5_group(id, "/mesh");
    const Hdf5Handle group = make_hdf5_group(id, "/snapshots");
    GrowingDataset vertices(id, "/mesh/vertices", "m", "simulation mesh, model frame", 3);
    for (std::size_t v = 0; v < layout.vertices.size(); v += 3)
      vertices.append(&layout.vertices[v]);
    vertices.flush();
    f.snapshot_time.emplace(id, "/snapshots/time_s", "s", "time of the snapshot", 1);
    f.snapshots.emplace(id, "/snapshots/displacement_m", "m", "u of all vertices, x, y, z each",
                        layout.snapshot_values, 1);
  }
}

RunLog::~RunLog() = default;

void RunLog::append(const RunRow& row) {
  File& f = *file_;
  const auto iterations = static_cast<double>(row.newton_iterations);
  f.time->append(&row.time);
  f.strain->append(&row.strain_energy);
  f.kinetic->append(&row.kinetic_energy);
  f.residual->append(&row.residual);
  f.iterations->append(&iterations);
  if (f.probes) f.probes->append(row.probes.data());
  if (f.coordinates) f.coordinates->append(row.coordinates.data());
}

void RunLog::append_snapshot(double time, std::span<const double> displacement) {
  HAPTIC_DEMAND(file_->snapshots.has_value());
  file_->snapshot_time->append(&time);
  file_->snapshots->append(displacement.data());
}

void RunLog::finish() {
  File& f = *file_;
  f.for_each_dataset([](auto& dataset) {
    if (dataset) dataset->flush();
    dataset.reset();
  });
  f.file.commit();
  file_.reset();
}

}  // namespace haptic

#include "host/log/log_writer.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_output.h"
#include "host/log/event_columns.h"
#include "host/log/log_columns.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kChunkRows = 1024;

hid_t file_type(ColumnType type) {
  switch (type) {
    case ColumnType::kFloat64:
      return H5T_IEEE_F64LE;
    case ColumnType::kUint32:
      return H5T_STD_U32LE;
    case ColumnType::kUint64:
      return H5T_STD_U64LE;
    case ColumnType::kInt64:
      return H5T_STD_I64LE;
  }
  return H5T_IEEE_F64LE;
}

void write_array(hid_t object, const std::string& name, std::span<const double> values) {
  const hsize_t size = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  const Hdf5Handle attribute(
      H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, "write attribute " + name);
  require_hdf5(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data()), name);
}

void describe(hid_t file, const LogDescription& description) {
  write_attribute(file, "format", std::string("hapticd log 1"));
  write_attribute(file, "source", description.source);
  write_attribute(file, "scene", description.scene_path);
  write_attribute(file, "rate_hz", description.rate_hz);
  write_attribute(file, "length_scale", description.length_scale);
  const Hdf5Handle bodies = make_hdf5_group(file, "/bodies");
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const LogBody& body = description.bodies[b];
    const Hdf5Handle group = make_hdf5_group(file, fmt::format("/bodies/{}", b));
    write_attribute(group.get(), "name", body.name);
    write_attribute(group.get(), "model", body.model_path);
    write_attribute(group.get(), "model_hash", fmt::format("{:016x}", body.model_hash));
    write_attribute(group.get(), "first_coordinate", body.first_coordinate);
    write_attribute(group.get(), "coordinate_count", body.coordinate_count);
    write_attribute(group.get(), "held", body.held ? 1.0 : 0.0);
    write_array(group.get(), "position_m", body.position_m);
    write_array(group.get(), "orientation_wxyz", body.orientation_wxyz);
  }
}

}  // namespace

struct LogWriter::File {
  File(const std::filesystem::path& path, const LogDescription& description)
      : rate_hz(description.rate_hz), coordinate_count(description.coordinate_count), file(path) {}

  double rate_hz;
  std::uint32_t coordinate_count;
  std::uint64_t rows = 0;
  std::uint64_t lost = 0;
  Hdf5Output file;  // before what lies in it
  std::vector<const LogColumn*> table;
  std::vector<GrowingDataset> columns;  // as the table
  std::vector<GrowingDataset> derived;  // time and, where there are any, coordinates
  std::vector<Hdf5Handle> event_types;  // before what holds them
  std::vector<GrowingDataset> events;   // as event_columns(); none of an offline run
};

LogWriter::LogWriter(const std::filesystem::path& path, const LogDescription& description)
    : file_(std::make_unique<File>(path, description)) {
  File& f = *file_;
  describe(f.file.id(), description);
  { const Hdf5Handle samples = make_hdf5_group(f.file.id(), "/samples"); }
  f.derived.emplace_back(f.file.id(), "/samples/time_s", "s", "cycle / rate: the hand's own time",
                         1, kChunkRows);
  if (f.coordinate_count > 0) {
    f.derived.emplace_back(f.file.id(), "/samples/coordinates", "m kg^1/2",
                           "reduced coordinates q of all bodies, after the cycle",
                           f.coordinate_count, kChunkRows);
  }
  for (const LogColumn& column : sample_columns()) f.table.push_back(&column);
  if (description.timing) {
    const Hdf5Handle timing = make_hdf5_group(f.file.id(), "/timing");
    for (const LogColumn& column : timing_columns()) f.table.push_back(&column);
    const Hdf5Handle events = make_hdf5_group(f.file.id(), "/events");
    for (const EventColumn& column : event_columns()) {
      f.event_types.push_back(event_type(column));
      f.events.emplace_back(f.file.id(), std::string(column.name), column.unit, column.meaning, 1,
                            kChunkRows, f.event_types.back().get());
    }
  }
  for (const LogColumn* column : f.table) {
    f.columns.emplace_back(f.file.id(), std::string(column->name), column->unit, column->meaning,
                           column->width, kChunkRows, file_type(column->type));
  }
}

LogWriter::~LogWriter() = default;

void LogWriter::append(const SampleRecord& sample, std::span<const double> coordinates) {
  HAPTIC_DEMAND(file_ && coordinates.size() == file_->coordinate_count);
  File& f = *file_;
  const double time = static_cast<double>(sample.cycle) / f.rate_hz;
  f.derived[0].append(&time);
  if (f.coordinate_count > 0) f.derived[1].append(coordinates.data());
  const auto* bytes = reinterpret_cast<const std::byte*>(&sample);
  for (std::size_t i = 0; i < f.table.size(); ++i) {
    f.columns[i].append(bytes + f.table[i]->offset);
  }
  ++f.rows;
}

void LogWriter::append_event(const EventRecord& event) {
  File& f = *file_;
  const auto* bytes = reinterpret_cast<const std::byte*>(&event);
  for (std::size_t i = 0; i < f.events.size(); ++i) {
    f.events[i].append(bytes + event_columns()[i].offset);
  }
}

void LogWriter::add_lost(std::uint64_t samples) {
  file_->lost += samples;
}

std::uint64_t LogWriter::rows() const {
  return file_ ? file_->rows : 0;
}

void LogWriter::finish() {
  File& f = *file_;
  for (GrowingDataset& column : f.derived) column.flush();
  for (GrowingDataset& column : f.columns) column.flush();
  for (GrowingDataset& column : f.events) column.flush();
  write_attribute(f.file.id(), "lost_samples", static_cast<double>(f.lost));
  f.derived.clear();
  f.columns.clear();
  f.events.clear();
  f.file.commit();
  file_.reset();
}

}  // namespace haptic

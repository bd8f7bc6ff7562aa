#include "host/log/log_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
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

void describe_blocks(hid_t file, const StateLayout& state) {
  const Hdf5Handle blocks = make_hdf5_group(file, "/blocks");
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    const Hdf5Handle group = make_hdf5_group(file, fmt::format("/blocks/{}", i));
    write_attribute(group.get(), "name", block.name);
    write_attribute(group.get(), "unit", block.unit);
    write_attribute(group.get(), "description", block.meaning);
    write_attribute(group.get(), "shape", fmt::format("{}", fmt::join(block.shape, " ")));
    write_attribute(group.get(), "display", static_cast<double>(block.display));
    write_attribute(group.get(), "rate", static_cast<double>(block.rate));
    if (block.measured) write_attribute(group.get(), "measured", 1.0);
  }
}

/// Every group on the way to `name`, which begins with '/'.
void make_groups(hid_t file, const std::string& name) {
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    const std::string group = name.substr(0, slash);
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0) make_hdf5_group(file, group);
  }
}

/// Rows written at once: of a small block a usual chunk, of a large one about a megabyte.
std::size_t chunk_rows(std::uint64_t row_bytes) {
  return std::clamp<std::size_t>((std::size_t{1} << 20) / row_bytes, 1, kChunkRows);
}

void describe(hid_t file, const LogDescription& description) {
  write_attribute(file, "format", std::string("hapticd log 2"));
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
  }
  describe_blocks(file, description.state);
}

}  // namespace

struct LogWriter::File {
  File(const std::filesystem::path& path, const LogDescription& description)
      : rate_hz(description.rate_hz), state(description.state), file(path) {}

  /// A dataset with the values of one block.
  struct Block {
    std::size_t number;  ///< in the layout
    GrowingDataset values;
  };
  void add_blocks(StateRate rate, const std::string& folder, hid_t type,
                  std::vector<Block>& blocks);
  template <class T>
  void append_blocks(std::vector<Block>& blocks, std::span<const T> values);

  double rate_hz;
  StateLayout state;
  std::uint64_t rows = 0;
  std::uint64_t lost = 0;
  Hdf5Output file;  // before what lies in it
  std::vector<const LogColumn*> table;
  std::vector<GrowingDataset> columns;         // as the table
  std::vector<GrowingDataset> time;            // one
  std::vector<Block> blocks;                   // of every cycle
  std::vector<Block> display_blocks;           // at display rate
  std::vector<GrowingDataset> display_cycles;  // first and last of each snapshot, if there are any
  std::vector<Hdf5Handle> event_types;         // before what holds them
  std::vector<GrowingDataset> events;          // as event_columns(); none of an offline run
};

void LogWriter::File::add_blocks(StateRate rate, const std::string& folder, hid_t type,
                                 std::vector<Block>& added) {
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    if (block.rate != rate || block.size() == 0) continue;
    const std::string name = folder + block.name;
    make_groups(file.id(), name);
    added.push_back({i, GrowingDataset(file.id(), name, block.unit, block.meaning, block.size(),
                                       chunk_rows(block.size() * H5Tget_size(type)), type)});
  }
}

template <class T>
void LogWriter::File::append_blocks(std::vector<Block>& all, std::span<const T> values) {
  for (Block& block : all) block.values.append(state.values(block.number, values).data());
}

LogWriter::LogWriter(const std::filesystem::path& path, const LogDescription& description)
    : file_(std::make_unique<File>(path, description)) {
  File& f = *file_;
  describe(f.file.id(), description);
  { const Hdf5Handle samples = make_hdf5_group(f.file.id(), "/samples"); }
  f.time.emplace_back(f.file.id(), "/samples/time_s", "s", "cycle / rate: the hand's own time", 1,
                      kChunkRows);
  f.add_blocks(StateRate::kCycle, "/state/", H5T_IEEE_F64LE, f.blocks);
  f.add_blocks(StateRate::kDisplay, "/display/", H5T_IEEE_F32LE, f.display_blocks);
  if (!f.display_blocks.empty()) {
    { const Hdf5Handle cycles = make_hdf5_group(f.file.id(), "/display_cycles"); }
    for (const auto& [name, meaning] :
         {std::pair{kFirstDisplayCycle, "first cycle whose values the row contains"},
          std::pair{kLastDisplayCycle, "last cycle whose values the row contains"}}) {
      f.display_cycles.emplace_back(f.file.id(), name, "1", meaning, 1, kChunkRows, H5T_STD_U64LE);
    }
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

void LogWriter::append(const SampleRecord& sample, std::span<const double> state) {
  HAPTIC_DEMAND(file_ && state.size() == file_->state.cycle_values());
  File& f = *file_;
  const double time = static_cast<double>(sample.cycle) / f.rate_hz;
  f.time[0].append(&time);
  f.append_blocks(f.blocks, state);
  const auto* bytes = reinterpret_cast<const std::byte*>(&sample);
  for (std::size_t i = 0; i < f.table.size(); ++i) {
    f.columns[i].append(bytes + f.table[i]->offset);
  }
  ++f.rows;
}

void LogWriter::append_display(const DisplaySnapshot& snapshot) {
  HAPTIC_DEMAND(file_ && snapshot.state.size() == file_->state.display_values());
  File& f = *file_;
  if (f.display_blocks.empty()) return;
  f.append_blocks(f.display_blocks, std::span<const float>(snapshot.state));
  f.display_cycles[0].append(&snapshot.first_cycle);
  f.display_cycles[1].append(&snapshot.last_cycle);
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
  for (std::vector<GrowingDataset>* columns : {&f.time, &f.columns, &f.events, &f.display_cycles}) {
    for (GrowingDataset& column : *columns) column.flush();
    columns->clear();
  }
  for (std::vector<File::Block>* blocks : {&f.blocks, &f.display_blocks}) {
    for (File::Block& block : *blocks) block.values.flush();
    blocks->clear();
  }
  write_attribute(f.file.id(), "lost_samples", static_cast<double>(f.lost));
  f.file.commit();
  file_.reset();
}

}  // namespace haptic

#include "host/log/log_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_output.h"
#include "host/log/log_columns.h"
#include "host/log/log_dataset.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kChunkRows = 1024;
constexpr std::size_t kLiveDisplayRows = 15;  // of 60 a second: LogWriter::kFlush_s
constexpr std::size_t kEventRows = 16;
constexpr double kUnfinished = std::numeric_limits<double>::quiet_NaN();

/// Every group on the way to `name`, which begins with '/'.
void make_groups(hid_t file, const std::string& name) {
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    const std::string group = name.substr(0, slash);
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) <= 0) make_hdf5_group(file, group);
  }
}

/// Rows written at once: of a small block a usual chunk, of a large one about a megabyte.
std::size_t chunk_rows(std::uint64_t row_bytes, std::size_t usual) {
  return std::clamp<std::size_t>((std::size_t{1} << 20) / row_bytes, 1, usual);
}

/// A chunk is written once: a chunk that is written again takes new space in a file with readers.
std::size_t rows_until_flush(double rate_hz) {
  return static_cast<std::size_t>(std::clamp(rate_hz * LogWriter::kFlush_s, 1.0, 1e5));
}

/// The format that a file with readers needs. Whoever may read it can lock it, which must not keep
/// its writer from finishing it.
Hdf5Handle access_of_readers() {
  silence_hdf5();
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make access properties");
  require_hdf5(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "format");
  require_hdf5(H5Pset_file_locking(access.get(), false, true), "file locking");
  return access;
}

}  // namespace

struct LogWriter::File {
  File(const std::filesystem::path& path, const LogDescription& description, Readable readable,
       bool is_claimed)
      : rate_hz(description.rate_hz),
        state(description.state),
        is_live(readable == Readable::kWhileWritten),
        rows_a_chunk(is_live ? rows_until_flush(description.rate_hz) : kChunkRows),
        access(is_live ? access_of_readers() : Hdf5Handle()),
        file(path, {.access = is_live ? access.get() : H5P_DEFAULT,
                    .in_memory = readable == Readable::kInMemory,
                    .may_replace_recording = description.timing,
                    .is_claimed = is_claimed}) {}

  void flush();
  /// Closes the datasets, which are flushed.
  void close_columns();
  /// Notes the cycles between the last row and `cycle` that are missing.
  void note_gap(std::uint64_t cycle);

  /// A dataset with the values of one block.
  struct Block {
    std::size_t number;  ///< in the layout
    GrowingDataset values;
  };
  void add_blocks(StateRate rate, const std::string& folder, hid_t type,
                  std::vector<Block>& blocks);
  template <class T>
  void append_blocks(std::vector<Block>& blocks, std::span<const T> values);
  void add_column(const LogColumn& column, std::size_t chunk, std::vector<GrowingDataset>& columns);

  double rate_hz;
  StateLayout state;
  bool is_live;
  std::size_t rows_a_chunk;
  bool pending = false;
  std::uint64_t last_cycle = 0;
  bool follows = false;  // last_cycle is the last one of the previous file
  Hdf5Handle access;
  std::uint64_t rows = 0;
  std::uint64_t lost = 0;
  Hdf5Output file;                // before what lies in it
  std::vector<Hdf5Handle> types;  // before what holds them
  std::vector<const LogColumn*> table;
  std::vector<GrowingDataset> columns;         // as the table
  std::vector<GrowingDataset> time;            // one
  std::vector<Block> blocks;                   // of every cycle
  std::vector<Block> display_blocks;           // at display rate
  std::vector<GrowingDataset> display_cycles;  // first and last of each snapshot, if there are any
  std::vector<GrowingDataset> events;          // as event_columns(); none of an offline run
  std::vector<GrowingDataset> gaps;            // cycle and count; none of an offline run
};

void LogWriter::File::add_blocks(StateRate rate, const std::string& folder, hid_t type,
                                 std::vector<Block>& added) {
  const std::size_t usual_rows =
      rate == StateRate::kDisplay && is_live ? kLiveDisplayRows : rows_a_chunk;
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    if (block.rate != rate || block.size() == 0) continue;
    const std::string name = folder + block.name;
    make_groups(file.id(), name);
    added.push_back(
        {i, GrowingDataset(file.id(), name, block.unit, block.meaning, block.size(),
                           chunk_rows(block.size() * H5Tget_size(type), usual_rows), type)});
  }
}

template <class T>
void LogWriter::File::append_blocks(std::vector<Block>& all, std::span<const T> values) {
  for (Block& block : all) block.values.append(state.values(block.number, values).data());
}

void LogWriter::File::add_column(const LogColumn& column, std::size_t chunk,
                                 std::vector<GrowingDataset>& added) {
  types.push_back(element_type(column));
  added.emplace_back(file.id(), column.name, column.unit, column.meaning, column.width, chunk,
                     types.back().get());
}

LogWriter::LogWriter(const std::filesystem::path& path, const LogDescription& description,
                     Readable readable)
    : LogWriter(std::make_unique<File>(path, description, readable, false), description) {}

LogWriter::LogWriter(const OutputClaim& claim, const LogDescription& description, Readable readable)
    : LogWriter(std::make_unique<File>(claim.target(), description, readable, true), description) {}

LogWriter::LogWriter(std::unique_ptr<File> file, const LogDescription& description)
    : file_(std::move(file)) {
  File& f = *file_;
  write_description(f.file.id(), description);
  { const Hdf5Handle samples = make_hdf5_group(f.file.id(), "/samples"); }
  f.time.emplace_back(f.file.id(), "/samples/time_s", "s", "cycle / rate: the hand's own time", 1,
                      f.rows_a_chunk);
  f.add_blocks(StateRate::kCycle, "/state/", H5T_IEEE_F64LE, f.blocks);
  f.add_blocks(StateRate::kDisplay, "/display/", H5T_IEEE_F32LE, f.display_blocks);
  if (!f.display_blocks.empty()) {
    { const Hdf5Handle cycles = make_hdf5_group(f.file.id(), "/display_cycles"); }
    for (const auto& [name, meaning] :
         {std::pair{kFirstDisplayCycle, "first cycle whose values the row contains"},
          std::pair{kLastDisplayCycle, "last cycle whose values the row contains"}}) {
      f.display_cycles.emplace_back(f.file.id(), name, "1", meaning, 1,
                                    f.is_live ? kLiveDisplayRows : kChunkRows, H5T_STD_U64LE);
    }
  }
  for (const LogColumn& column : sample_columns()) f.table.push_back(&column);
  if (description.timing) {
    const Hdf5Handle timing = make_hdf5_group(f.file.id(), "/timing");
    for (const LogColumn& column : timing_columns()) f.table.push_back(&column);
    const Hdf5Handle events = make_hdf5_group(f.file.id(), "/events");
    for (const LogColumn& column : event_columns()) f.add_column(column, kEventRows, f.events);
    const Hdf5Handle gaps = make_hdf5_group(f.file.id(), "/gaps");
    f.gaps.emplace_back(f.file.id(), kGapCycle, "1", "first cycle after the gap", 1, kEventRows,
                        H5T_STD_U64LE);
    f.gaps.emplace_back(f.file.id(), kGapLost, "1", "cycles before it that are missing", 1,
                        kEventRows, H5T_STD_U64LE);
  }
  for (const LogColumn* column : f.table) f.add_column(*column, f.rows_a_chunk, f.columns);
  if (f.is_live) {
    // In its place now: what is added to the end of the file would be lost with a cut.
    write_attribute(f.file.id(), "lost_samples", kUnfinished);
    f.file.publish();
  }
}

LogWriter::~LogWriter() = default;

void LogWriter::follow(std::uint64_t last_cycle) {
  HAPTIC_DEMAND(file_ && file_->rows == 0);
  file_->last_cycle = last_cycle;
  file_->follows = true;
}

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
  f.note_gap(sample.cycle);
  ++f.rows;
  f.pending = true;
  if (f.is_live && f.rows % f.rows_a_chunk == 0) f.flush();
}

void LogWriter::append_display(const DisplaySnapshot& snapshot) {
  HAPTIC_DEMAND(file_ && snapshot.state.size() == file_->state.display_values());
  File& f = *file_;
  if (f.display_blocks.empty()) return;
  f.append_blocks(f.display_blocks, std::span<const float>(snapshot.state));
  f.display_cycles[0].append(&snapshot.first_cycle);
  f.display_cycles[1].append(&snapshot.last_cycle);
  f.pending = true;
}

void LogWriter::append_event(const EventRecord& event) {
  File& f = *file_;
  const auto* bytes = reinterpret_cast<const std::byte*>(&event);
  for (std::size_t i = 0; i < f.events.size(); ++i) {
    f.events[i].append(bytes + event_columns()[i].offset);
  }
  f.pending = true;
}

void LogWriter::add_lost(std::uint64_t samples) {
  file_->lost += samples;
}

std::uint64_t LogWriter::rows() const {
  return file_ ? file_->rows : 0;
}

bool LogWriter::has_pending() const {
  return file_ && file_->pending;
}

void LogWriter::flush() {
  file_->flush();
}

void LogWriter::File::note_gap(std::uint64_t cycle) {
  if (!gaps.empty() && (rows > 0 || follows) && cycle > last_cycle + 1) {
    const std::uint64_t missing = cycle - last_cycle - 1;
    gaps[0].append(&cycle);
    gaps[1].append(&missing);
  }
  last_cycle = cycle;
}

void LogWriter::File::flush() {
  file.expect_failure();
  for (auto* all : {&time, &columns, &events, &gaps, &display_cycles}) {
    for (GrowingDataset& column : *all) column.flush();
  }
  for (auto* all : {&blocks, &display_blocks}) {
    for (Block& block : *all) block.values.flush();
  }
  file.flush();
  pending = false;
}

void LogWriter::File::close_columns() {
  for (auto* all : {&time, &columns, &events, &gaps, &display_cycles}) all->clear();
  for (auto* all : {&blocks, &display_blocks}) all->clear();
}

Hdf5Handle LogWriter::finish_in_memory() {
  File& f = *file_;
  f.flush();
  f.close_columns();
  write_attribute(f.file.id(), "lost_samples", static_cast<double>(f.lost));
  Hdf5Handle open = f.file.release();
  file_.reset();
  return open;
}

void LogWriter::finish() {
  File& f = *file_;
  f.flush();
  f.close_columns();
  const double lost = static_cast<double>(f.lost);
  if (!f.is_live) write_attribute(f.file.id(), "lost_samples", lost);
  const std::string path = f.file.target().string();
  f.file.commit();
  if (f.is_live) {
    const Hdf5Handle file = f.file.reopen();
    const Hdf5Handle attribute(H5Aopen(file.get(), "lost_samples", H5P_DEFAULT), H5Aclose,
                               path + ": finish");
    require_hdf5(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &lost), path + ": finish");
    require_hdf5(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), path + ": finish");
  }
  file_.reset();
}

}  // namespace haptic

#include "host/log/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/log/log_columns.h"
#include "host/log/log_dataset.h"
#include "shared/error.h"

namespace haptic {
namespace {

void expect_width(const Hdf5Input& log, const std::string& name, std::uint64_t width) {
  const std::uint64_t found = log.dataset(name).width();
  if (found == width) return;
  throw InputError(log.path().string(), name, fmt::format("{} numbers per row", found),
                   fmt::format("{}", width));
}

}  // namespace

LogReader::LogReader(const std::filesystem::path& path) : path_(path), file_(open_log(path)) {
  const std::string format = file_.text("/", "format");
  if (format != "hapticd log 2") {
    throw InputError(path.string(), "format", fmt::format("found '{}'", format),
                     "'hapticd log 2' (haptic and the program that wrote the log of one version)");
  }
  description_ = read_description(file_);
  for (const auto& [name, width] : block_columns(StateRate::kDisplay)) {
    expect_width(file_, name, width);
  }
  for (const auto& [name, width] : block_columns(StateRate::kCycle)) {
    expect_width(file_, name, width);
  }
  expect_width(file_, "/samples/time_s", 1);
  for (const LogColumn& column : sample_columns()) {
    if (!column.later || has(column.name)) expect_width(file_, column.name, column.width);
  }
  if (description_.timing) {
    for (const LogColumn& column : timing_columns()) {
      expect_width(file_, column.name, column.width);
    }
    for (const std::string& name : event_names()) expect_width(file_, name, 1);
    for (const char* name : {kGapCycle, kGapLost}) expect_width(file_, name, 1);
  }
  const double lost = file_.number("/", "lost_samples");  // not a number until it is finished
  if (lost >= 0.0 && lost < 0x1p63) lost_ = static_cast<std::uint64_t>(lost);
  is_complete_ = file_.is_whole() && lost_;
  const std::vector<std::string> columns = cycle_columns();
  for (const std::string& name : columns) {
    stated_rows_ = std::max(stated_rows_, file_.dataset(name).rows());
  }
  rows_ = common_rows(file_, columns, !is_complete_);
}

std::vector<std::pair<std::string, std::uint64_t>> LogReader::block_columns(StateRate rate) const {
  const std::string folder = rate == StateRate::kCycle ? "/state/" : "/display/";
  std::vector<std::pair<std::string, std::uint64_t>> columns;
  for (const StateBlock& block : description_.state.blocks()) {
    if (block.rate == rate && block.size() > 0) {
      columns.emplace_back(folder + block.name, block.size());
    }
  }
  return columns;
}

std::vector<std::string> LogReader::cycle_columns() const {
  std::vector<std::string> names = {"/samples/time_s"};
  for (const LogColumn& column : sample_columns()) {
    if (!column.later || has(column.name)) names.emplace_back(column.name);
  }
  if (description_.timing) {
    for (const LogColumn& column : timing_columns()) names.emplace_back(column.name);
  }
  for (const auto& [name, width] : block_columns(StateRate::kCycle)) names.push_back(name);
  return names;
}

std::size_t LogReader::width(const std::string& name) const {
  return file_.dataset(name).width();
}

bool LogReader::has(const std::string& name) const {
  return file_.has(name);
}

std::vector<double> LogReader::times() const {
  constexpr double kMaxDuration_s = 1e9;
  std::vector<double> times = column("/samples/time_s");
  double least = 0.0;
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (!(times[row] >= least && times[row] <= kMaxDuration_s)) {
      throw InputError(path_.string(), "/samples/time_s",
                       fmt::format("found {} s in row {}", times[row], row),
                       fmt::format("{} s to {:g} s, ascending", least, kMaxDuration_s));
    }
    least = times[row];
  }
  return times;
}

std::vector<double> LogReader::cycles() const {
  constexpr double kMax = 0x1p53;  // doubles tell neighbours apart to here
  std::vector<double> cycles = column("/samples/cycle");
  double least = 0.0;
  for (std::size_t row = 0; row < cycles.size(); ++row) {
    if (!(cycles[row] >= least && cycles[row] < kMax)) {
      throw InputError(path_.string(), "/samples/cycle",
                       fmt::format("found {:.0f} in row {}", cycles[row], row),
                       fmt::format("{:.0f} to {:.0f}, ascending", least, kMax - 1.0));
    }
    least = cycles[row] + 1.0;
  }
  return cycles;
}

std::vector<double> LogReader::column(const std::string& name) const {
  const Hdf5Dataset& dataset = file_.dataset(name);
  const bool is_of_cycles =
      name.starts_with("/samples/") || name.starts_with("/state/") || name.starts_with("/timing/");
  // The columns of a log that was cut off end at different cycles.
  const std::uint64_t rows = is_of_cycles ? std::min(rows_, dataset.rows())
                                          : common_rows(file_, std::span(&name, 1), !is_complete_);
  std::vector<double> values(rows * dataset.width());
  dataset.read(0, rows, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::vector<std::string> LogReader::event_names() const {
  std::vector<std::string> names;
  if (!description_.timing) return names;
  for (const LogColumn& column : event_columns()) {
    if (!column.later || has(column.name)) names.emplace_back(column.name);
  }
  return names;
}

std::uint64_t LogReader::stated_events() const {
  std::uint64_t stated = 0;
  for (const std::string& name : event_names()) {
    stated = std::max(stated, file_.dataset(name).rows());
  }
  return stated;
}

std::vector<EventRecord> LogReader::events() const {
  std::vector<EventRecord> events;
  const std::vector<std::string> names = event_names();
  if (names.empty()) return events;
  if (is_complete_) expect_equal_rows(file_, names);
  events.resize(common_rows(file_, names, !is_complete_));
  for (const LogColumn& column : event_columns()) {
    if (std::ranges::find(names, column.name) == names.end()) continue;
    std::vector<std::byte> values(column.size * events.size());
    read_rows(column.name, 1, 0, events.size(), element_type(column).get(), values.data());
    for (std::size_t i = 0; i < events.size(); ++i) {
      std::memcpy(reinterpret_cast<std::byte*>(&events[i]) + column.offset,
                  values.data() + i * column.size, column.size);
    }
  }
  for (EventRecord& event : events) {
    event.key[sizeof event.key - 1] = '\0';
    event.client[sizeof event.client - 1] = '\0';
    event.text[sizeof event.text - 1] = '\0';
  }
  return events;
}

LogSample LogReader::sample(std::uint64_t row) const {
  if (row >= rows_) {
    throw InputError(path_.string(), "", fmt::format("row {} asked for", row),
                     fmt::format("one of {} rows", rows_));
  }
  LogSample result;
  read_rows("/samples/time_s", 1, row, 1, H5T_NATIVE_DOUBLE, &result.time_s);
  auto* bytes = reinterpret_cast<std::byte*>(&result.record);
  const auto read_table = [&](std::span<const LogColumn> table) {
    for (const LogColumn& column : table) {
      if (column.later && !has(column.name)) continue;
      read_rows(column.name, column.width, row, 1, element_type(column).get(),
                bytes + column.offset);
    }
  };
  read_table(sample_columns());
  if (description_.timing) read_table(timing_columns());
  result.state.resize(description_.state.cycle_values());
  read_blocks_row("/state/", StateRate::kCycle, row, std::span(result.state), H5T_NATIVE_DOUBLE);
  return result;
}

template <class T>
void LogReader::read_blocks_row(const std::string& folder, StateRate rate, std::uint64_t row,
                                std::span<T> values, hid_t type) const {
  const StateLayout& state = description_.state;
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    if (block.rate != rate || block.size() == 0) continue;
    read_rows(folder + block.name, block.size(), row, 1, type, state.values(i, values).data());
  }
}

std::optional<DisplaySnapshot> LogReader::display(std::uint64_t cycle) const {
  if (description_.state.display_values() == 0) return std::nullopt;
  std::vector<double> first = column(kFirstDisplayCycle), last = column(kLastDisplayCycle);
  if (is_complete_ && first.size() != last.size()) return std::nullopt;
  std::vector<std::string> names = {kFirstDisplayCycle, kLastDisplayCycle};
  for (const auto& [name, width] : block_columns(StateRate::kDisplay)) names.push_back(name);
  const std::uint64_t rows = common_rows(file_, names, !is_complete_);
  if (rows == 0) return std::nullopt;
  first.resize(rows);
  last.resize(rows);
  const auto later = std::ranges::upper_bound(last, static_cast<double>(cycle));
  const auto row = static_cast<std::size_t>(std::max<std::ptrdiff_t>(later - last.begin(), 1) - 1);
  DisplaySnapshot snapshot;
  snapshot.first_cycle = static_cast<std::uint64_t>(first[row]);
  snapshot.last_cycle = static_cast<std::uint64_t>(last[row]);
  snapshot.state.resize(description_.state.display_values());
  read_blocks_row("/display/", StateRate::kDisplay, row, std::span(snapshot.state),
                  H5T_NATIVE_FLOAT);
  return snapshot;
}

}  // namespace haptic

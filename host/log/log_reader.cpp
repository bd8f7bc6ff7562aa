#include "host/log/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <sstream>

#include "host/log/event_columns.h"
#include "host/log/log_columns.h"
#include "host/log/log_dataset.h"
#include "shared/error.h"

namespace haptic {
namespace {

class Attributes {
 public:
  Attributes(std::string file, hid_t object, std::string where)
      : file_(std::move(file)), object_(object), where_(std::move(where)) {}

  std::string text(const char* name) const {
    const Hdf5Handle attribute = open(name);
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, name);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) refuse(name);
    std::string value(H5Tget_size(type.get()), '\0');
    require_hdf5(H5Aread(attribute.get(), type.get(), value.data()), name);
    value.resize(std::strlen(value.c_str()));
    return value;
  }

  bool has(const char* name) const { return H5Aexists(object_, name) > 0; }

  double number(const char* name) const {
    const Hdf5Handle attribute = open(name);
    const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, name);
    double value = 0.0;
    if (H5Sget_simple_extent_npoints(space.get()) != 1 ||
        H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0) {
      refuse(name);
    }
    return value;
  }

  std::uint32_t count(const char* name) const {
    const double value = number(name);
    if (!(value >= 0.0 && value <= 1e9)) refuse(name);
    return static_cast<std::uint32_t>(value);
  }

 private:
  Hdf5Handle open(const char* name) const {
    if (!has(name)) {
      throw InputError(file_, where_, fmt::format("no attribute '{}'", name), "a log of this tool");
    }
    return {H5Aopen(object_, name, H5P_DEFAULT), H5Aclose, name};
  }
  [[noreturn]] void refuse(const char* name) const {
    throw InputError(file_, where_, fmt::format("attribute '{}' of another kind", name),
                     "a log of this tool");
  }

  std::string file_;
  hid_t object_;
  std::string where_;
};

std::vector<LogBody> read_bodies(const std::string& path, hid_t file) {
  std::vector<LogBody> bodies;
  for (std::size_t b = 0;; ++b) {
    const std::string name = fmt::format("/bodies/{}", b);
    if (H5Lexists(file, "/bodies", H5P_DEFAULT) <= 0 ||
        H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) {
      return bodies;
    }
    const Hdf5Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose, name);
    const Attributes attributes(path, group.get(), name);
    LogBody body;
    body.name = attributes.text("name");
    body.model_path = attributes.text("model");
    const std::string hash = attributes.text("model_hash");
    std::from_chars(hash.data(), hash.data() + hash.size(), body.model_hash, 16);
    body.first_coordinate = attributes.count("first_coordinate");
    body.coordinate_count = attributes.count("coordinate_count");
    body.held = attributes.number("held") != 0.0;
    bodies.push_back(std::move(body));
  }
}

std::vector<std::uint32_t> numbers_in(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  std::istringstream words(text);
  for (std::uint32_t number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

/// @throws InputError as StateLayout
StateLayout read_blocks(const std::string& path, hid_t file) {
  std::vector<StateBlock> blocks;
  for (std::size_t i = 0; i <= StateLayout::kMostBlocks; ++i) {
    const std::string name = fmt::format("/blocks/{}", i);
    if (H5Lexists(file, "/blocks", H5P_DEFAULT) <= 0 ||
        H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) {
      break;
    }
    const Hdf5Handle group(H5Gopen2(file, name.c_str(), H5P_DEFAULT), H5Gclose, name);
    const Attributes attributes(path, group.get(), name);
    blocks.push_back({attributes.text("name"), attributes.text("unit"),
                      attributes.text("description"), numbers_in(attributes.text("shape")),
                      static_cast<StateDisplay>(attributes.count("display")),
                      static_cast<StateRate>(attributes.count("rate")),
                      attributes.has("measured")});
  }
  return StateLayout(std::move(blocks));
}

}  // namespace

LogReader::LogReader(const std::filesystem::path& path) : path_(path) {
  OpenedLog opened = open_log(path);
  file_ = std::move(opened.file);
  const Attributes attributes(path.string(), file_.get(), "");
  const std::string format = attributes.text("format");
  if (format != "hapticd log 2") {
    throw InputError(path.string(), "format", fmt::format("found '{}'", format),
                     "'hapticd log 2' (haptic and the program that wrote the log of one version)");
  }
  description_.source = attributes.text("source");
  description_.scene_path = attributes.text("scene");
  description_.rate_hz = attributes.number("rate_hz");
  description_.length_scale = attributes.number("length_scale");
  if (attributes.has("device_stiffness_N_m")) {
    description_.device_stiffness_N_m = attributes.number("device_stiffness_N_m");
  }
  const double lost = attributes.number("lost_samples");  // not a number until it is finished
  is_complete_ = opened.is_whole && !std::isnan(lost);
  description_.bodies = read_bodies(path.string(), file_.get());
  description_.timing = H5Lexists(file_.get(), "/timing", H5P_DEFAULT) > 0;
  description_.state = read_blocks(path.string(), file_.get());
  rows_ = common_rows(path, file_.get(), cycle_columns(), !is_complete_);
  if (!is_complete_) leave_out_unwritten_rows();
  if (!std::isnan(lost)) {
    lost_ = static_cast<std::uint64_t>(lost);
  } else if (has(kGapLost)) {
    lost_ = count_missing();
  }
}

/// A disk that was full may have the length of the last chunk without its numbers: these read as
/// zero.
void LogReader::leave_out_unwritten_rows() {
  constexpr std::uint64_t kLongestChunk = 4096;
  const std::uint64_t count = std::min(rows_, kLongestChunk);
  const std::vector<double> cycles = rows_of("/samples/cycle", 1, rows_ - count, count);
  std::size_t left = cycles.size();
  while (left > 0 && cycles[left - 1] == 0.0 && rows_ > 1) --left, --rows_;
}

std::vector<std::string> LogReader::cycle_columns() const {
  std::vector<std::string> names = {"/samples/time_s"};
  for (const LogColumn& column : sample_columns()) {
    if (!column.later || has(std::string(column.name))) names.emplace_back(column.name);
  }
  if (description_.timing) {
    for (const LogColumn& column : timing_columns()) names.emplace_back(column.name);
  }
  for (const StateBlock& block : description_.state.blocks()) {
    if (block.rate == StateRate::kCycle && block.size() > 0)
      names.push_back("/state/" + block.name);
  }
  return names;
}

std::uint64_t LogReader::count_missing() const {
  const std::uint64_t gaps =
      common_rows(path_, file_.get(), std::array<std::string, 2>{kGapCycle, kGapLost}, true);
  std::vector<double> missing(gaps);
  haptic::read_rows(path_, file_.get(), kGapLost, 0, gaps, 1, H5T_NATIVE_DOUBLE, missing.data());
  return static_cast<std::uint64_t>(std::accumulate(missing.begin(), missing.end(), 0.0));
}

std::size_t LogReader::width(const std::string& name) const {
  return LogDataset(path_, file_.get(), name).extent[1];
}

bool LogReader::has(const std::string& name) const {
  return has_column(file_.get(), name);
}

std::vector<double> LogReader::column(const std::string& name) const {
  const LogDataset dataset(path_, file_.get(), name);
  const bool is_of_cycles =
      name.starts_with("/samples/") || name.starts_with("/state/") || name.starts_with("/timing/");
  // The columns of a log that was cut off end at different cycles.
  std::uint64_t rows = is_of_cycles ? std::min<std::uint64_t>(rows_, dataset.extent[0])
                                    : std::uint64_t{dataset.extent[0]};
  if (!is_of_cycles && !is_complete_)
    rows = common_rows(path_, file_.get(), std::span(&name, 1), true);
  std::vector<double> values(rows * dataset.extent[1]);
  haptic::read_rows(path_, file_.get(), name, 0, rows, dataset.extent[1], H5T_NATIVE_DOUBLE,
                    values.data());
  return values;
}

std::vector<EventRecord> LogReader::events() const {
  std::vector<EventRecord> events;
  if (!has("/events/number")) return events;
  std::vector<std::string> names;
  for (const EventColumn& column : event_columns()) {
    if (!column.later || has(std::string(column.name))) names.emplace_back(column.name);
  }
  if (is_complete_) expect_equal_rows(path_, file_.get(), names);
  events.resize(common_rows(path_, file_.get(), names, !is_complete_));
  for (const EventColumn& column : event_columns()) {
    const std::string name(column.name);
    if (std::ranges::find(names, name) == names.end()) continue;
    std::vector<std::byte> values(column.size * events.size());
    haptic::read_rows(path_, file_.get(), name, 0, events.size(), 1, event_type(column).get(),
                      values.data());
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
  haptic::read_rows(path_, file_.get(), "/samples/time_s", row, 1, 1, H5T_NATIVE_DOUBLE,
                    &result.time_s);
  auto* bytes = reinterpret_cast<std::byte*>(&result.record);
  const auto read_table = [&](std::span<const LogColumn> table) {
    for (const LogColumn& column : table) {
      if (column.later && !has(std::string(column.name))) continue;
      haptic::read_rows(path_, file_.get(), std::string(column.name), row, 1, column.width,
                        memory_type(column.type), bytes + column.offset);
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
    haptic::read_rows(path_, file_.get(), folder + block.name, row, 1, block.size(), type,
                      state.values(i, values).data());
  }
}

std::optional<DisplaySnapshot> LogReader::display(std::uint64_t cycle) const {
  if (description_.state.display_values() == 0) return std::nullopt;
  std::vector<double> first = column(kFirstDisplayCycle), last = column(kLastDisplayCycle);
  if (is_complete_ && first.size() != last.size()) return std::nullopt;
  std::vector<std::string> names = {kFirstDisplayCycle, kLastDisplayCycle};
  for (const StateBlock& block : description_.state.blocks()) {
    if (block.rate == StateRate::kDisplay && block.size() > 0) {
      names.push_back("/display/" + block.name);
    }
  }
  const std::uint64_t rows = common_rows(path_, file_.get(), names, !is_complete_);
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

#include "host/log/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <sstream>

#include "host/log/event_columns.h"
#include "host/log/log_columns.h"
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

bool has_column(hid_t file, const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash != std::string::npos && name.front() == '/' &&
         (slash == 0 || H5Lexists(file, name.substr(0, slash).c_str(), H5P_DEFAULT) > 0) &&
         H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

/// An opened dataset and its extents; refuses anything that is not one or two-dimensional.
struct Dataset {
  Dataset(const std::filesystem::path& path, hid_t file, const std::string& name) {
    if (!has_column(file, name)) {
      throw InputError(path.string(), name, "no such column", "a log of this tool");
    }
    handle = Hdf5Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, name);
    space = Hdf5Handle(H5Dget_space(handle.get()), H5Sclose, name);
    rank = H5Sget_simple_extent_ndims(space.get());
    if (rank != 1 && rank != 2) {
      throw InputError(path.string(), name, fmt::format("{} dimensions", rank), "1 or 2");
    }
    require_hdf5(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), name);
  }
  Hdf5Handle handle, space;
  int rank = 0;
  std::array<hsize_t, 2> extent = {0, 1};
};

hid_t memory_type(ColumnType type) {
  switch (type) {
    case ColumnType::kFloat64:
      return H5T_NATIVE_DOUBLE;
    case ColumnType::kUint32:
      return H5T_NATIVE_UINT32;
    case ColumnType::kUint64:
      return H5T_NATIVE_UINT64;
    case ColumnType::kInt64:
      return H5T_NATIVE_INT64;
  }
  return H5T_NATIVE_DOUBLE;
}

void read_row(const std::filesystem::path& path, hid_t file, const std::string& name,
              std::uint64_t row, std::size_t width, hid_t type, void* target) {
  const Dataset dataset(path, file, name);
  if (row >= dataset.extent[0] || dataset.extent[1] != width) {
    throw InputError(path.string(), name,
                     fmt::format("{} x {} numbers", dataset.extent[0], dataset.extent[1]),
                     fmt::format("row {} of {} numbers", row, width));
  }
  const std::array<hsize_t, 2> start = {row, 0};
  const std::array<hsize_t, 2> count = {1, width};
  require_hdf5(H5Sselect_hyperslab(dataset.space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                   count.data(), nullptr),
               name);
  const Hdf5Handle memory(H5Screate_simple(dataset.rank, count.data(), nullptr), H5Sclose, name);
  require_hdf5(
      H5Dread(dataset.handle.get(), type, memory.get(), dataset.space.get(), H5P_DEFAULT, target),
      "read " + name);
}

}  // namespace

LogReader::LogReader(const std::filesystem::path& path) : path_(path) {
  silence_hdf5();
  if (!std::filesystem::exists(path)) {
    throw InputError(path.string(), "", "no such file", "a log (haptic record, haptic simulate)");
  }
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw InputError(path.string(), "", "not an HDF5 file",
                     "a log (haptic record, haptic simulate)");
  }
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                     fmt::format("{}: open log", path.string()));
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
  lost_ = static_cast<std::uint64_t>(attributes.number("lost_samples"));
  description_.bodies = read_bodies(path.string(), file_.get());
  description_.timing = H5Lexists(file_.get(), "/timing", H5P_DEFAULT) > 0;
  rows_ = Dataset(path, file_.get(), "/samples/cycle").extent[0];
  description_.state = read_blocks(path.string(), file_.get());
}

std::size_t LogReader::width(const std::string& name) const {
  return Dataset(path_, file_.get(), name).extent[1];
}

bool LogReader::has(const std::string& name) const {
  return has_column(file_.get(), name);
}

std::vector<double> LogReader::column(const std::string& name) const {
  const Dataset dataset(path_, file_.get(), name);
  std::vector<double> values(dataset.extent[0] * dataset.extent[1]);
  require_hdf5(H5Dread(dataset.handle.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                       values.data()),
               "read " + name);
  return values;
}

std::vector<EventRecord> LogReader::events() const {
  std::vector<EventRecord> events;
  if (!has("/events/number")) return events;
  events.resize(Dataset(path_, file_.get(), "/events/number").extent[0]);
  for (const EventColumn& column : event_columns()) {
    const std::string name(column.name);
    if (column.later && !has(name)) continue;
    const Dataset dataset(path_, file_.get(), name);
    if (dataset.rank != 1 || dataset.extent[0] != events.size()) {
      throw InputError(path_.string(), name, fmt::format("{} rows", dataset.extent[0]),
                       fmt::format("{}, as /events/number", events.size()));
    }
    std::vector<std::byte> values(column.size * events.size());
    require_hdf5(H5Dread(dataset.handle.get(), event_type(column).get(), H5S_ALL, H5S_ALL,
                         H5P_DEFAULT, values.data()),
                 "read " + name);
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
  read_row(path_, file_.get(), "/samples/time_s", row, 1, H5T_NATIVE_DOUBLE, &result.time_s);
  auto* bytes = reinterpret_cast<std::byte*>(&result.record);
  const auto read_table = [&](std::span<const LogColumn> table) {
    for (const LogColumn& column : table) {
      read_row(path_, file_.get(), std::string(column.name), row, column.width,
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
    read_row(path_, file_.get(), folder + block.name, row, block.size(), type,
             state.values(i, values).data());
  }
}

std::optional<DisplaySnapshot> LogReader::display(std::uint64_t cycle) const {
  if (description_.state.display_values() == 0) return std::nullopt;
  const std::vector<double> first = column(kFirstDisplayCycle), last = column(kLastDisplayCycle);
  if (first.empty() || first.size() != last.size()) return std::nullopt;
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

#include "host/log/log_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "host/log/black_box_log.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Of a part that its writer may be about to replace. HDF5 waits 1, 2, 4, ... ns between them, in
/// sum 1 ms; by default it tries 100 times, and a file that was cut off would take for ever.
constexpr unsigned kReadAttempts = 20;

/// Whether the data of a row can be read.
bool is_readable(const LogDataset& dataset, std::uint64_t row) {
  const std::array<hsize_t, 2> start = {row, 0};
  const std::array<hsize_t, 2> count = {1, dataset.extent[1]};
  const Hdf5Handle type(H5Dget_type(dataset.handle.get()), H5Tclose, "type of a column");
  std::vector<std::byte> values(H5Tget_size(type.get()) * dataset.extent[1]);
  const Hdf5Handle memory(H5Screate_simple(dataset.rank, count.data(), nullptr), H5Sclose, "space");
  return H5Sselect_hyperslab(dataset.space.get(), H5S_SELECT_SET, start.data(), nullptr,
                             count.data(), nullptr) >= 0 &&
         H5Dread(dataset.handle.get(), type.get(), memory.get(), dataset.space.get(), H5P_DEFAULT,
                 values.data()) >= 0;
}

/// Chunks are written in order: what is missing is at the end.
std::uint64_t readable_rows(const LogDataset& dataset, std::uint64_t most) {
  std::uint64_t readable = 0, end = most;
  if (end > 0 && is_readable(dataset, end - 1)) return end;
  while (readable < end) {
    const std::uint64_t middle = readable + (end - readable) / 2;
    if (is_readable(dataset, middle)) {
      readable = middle + 1;
    } else {
      end = middle;
    }
  }
  return readable;
}

}  // namespace

OpenedLog open_log(const std::filesystem::path& path) {
  silence_hdf5();
  if (!std::filesystem::exists(path)) {
    throw InputError(path.string(), "", "no such file", "a log (haptic record, haptic simulate)");
  }
  if (is_black_box(path)) return {open_black_box(path), true};
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw InputError(path.string(), "", "not an HDF5 file",
                     "a log (haptic record, haptic simulate) or a black box of hapticd");
  }
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const bool is_whole = file >= 0;
  if (!is_whole) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make access properties");
    require_hdf5(H5Pset_metadata_read_attempts(access.get(), kReadAttempts), "read attempts");
    // As h5clear does: a file that was finished and cut off later is shorter than it says.
    const hbool_t skips = true;
    static_cast<void>(H5Pset(access.get(), "skip_eof_check", &skips));
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get());
  }
  return {Hdf5Handle(file, H5Fclose, fmt::format("{}: open log", path.string())), is_whole};
}

bool has_column(hid_t file, const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash != std::string::npos && name.front() == '/' &&
         (slash == 0 || H5Lexists(file, name.substr(0, slash).c_str(), H5P_DEFAULT) > 0) &&
         H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

LogDataset::LogDataset(const std::filesystem::path& path, hid_t file, const std::string& name) {
  if (!has_column(file, name)) {
    throw InputError(path.string(), name, "no such column", "a log of this tool");
  }
  const std::string what = fmt::format("{}: open {}", path.string(), name);
  handle = Hdf5Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, what);
  space = Hdf5Handle(H5Dget_space(handle.get()), H5Sclose, what);
  rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != 1 && rank != 2) {
    throw InputError(path.string(), name, fmt::format("{} dimensions", rank), "1 or 2");
  }
  require_hdf5(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), what);
}

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

void read_rows(const std::filesystem::path& path, hid_t file, const std::string& name,
               std::uint64_t first, std::uint64_t count, std::size_t width, hid_t type,
               void* target) {
  const LogDataset dataset(path, file, name);
  if (first + count > dataset.extent[0] || dataset.extent[1] != width) {
    throw InputError(path.string(), name,
                     fmt::format("{} x {} numbers", dataset.extent[0], dataset.extent[1]),
                     fmt::format("rows {} to {} of {} numbers", first, first + count, width));
  }
  if (count == 0) return;
  const std::string what = fmt::format("{}: read {}", path.string(), name);
  const std::array<hsize_t, 2> start = {first, 0};
  const std::array<hsize_t, 2> size = {count, width};
  require_hdf5(H5Sselect_hyperslab(dataset.space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                   size.data(), nullptr),
               what);
  const Hdf5Handle memory(H5Screate_simple(dataset.rank, size.data(), nullptr), H5Sclose, what);
  require_hdf5(
      H5Dread(dataset.handle.get(), type, memory.get(), dataset.space.get(), H5P_DEFAULT, target),
      what);
}

std::uint64_t common_rows(const std::filesystem::path& path, hid_t file,
                          std::span<const std::string> names, bool by_reading) {
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  for (const std::string& name : names) {
    const LogDataset dataset(path, file, name);
    rows = std::min<std::uint64_t>(rows, dataset.extent[0]);
    if (by_reading) rows = readable_rows(dataset, rows);
  }
  H5Eclear2(H5E_DEFAULT);  // of the rows that cannot be read
  return rows;
}

void expect_equal_rows(const std::filesystem::path& path, hid_t file,
                       std::span<const std::string> names) {
  const std::uint64_t wanted = LogDataset(path, file, names.front()).extent[0];
  for (const std::string& name : names) {
    const LogDataset dataset(path, file, name);
    if (dataset.rank == 1 && dataset.extent[0] == wanted) continue;
    throw InputError(path.string(), name, fmt::format("{} rows", dataset.extent[0]),
                     fmt::format("{}, as {}", wanted, names.front()));
  }
}

}  // namespace haptic

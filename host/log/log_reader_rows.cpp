#include <fmt/format.h>

#include <array>
#include <cstring>

#include "host/log/log_reader.h"
#include "shared/error.h"

namespace haptic {

void LogReader::read_rows(const std::string& name, std::size_t width, std::uint64_t first,
                          std::uint64_t count, hid_t type, void* target) const {
  const std::string file = path_.string();
  if (!has(name)) throw InputError(file, name, "no such column", "a log of this tool");
  const Hdf5Handle dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose, name);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, name);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::array<hsize_t, 2> extent = {0, 1};
  if (rank == 1 || rank == 2) {
    require_hdf5(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), name);
  }
  if ((rank != 1 && rank != 2) || extent[1] != width || extent[0] < first + count) {
    throw InputError(file, name, fmt::format("{} x {} numbers", extent[0], extent[1]),
                     fmt::format("{} rows of {}", first + count, width));
  }
  if (count == 0) return;
  const std::array<hsize_t, 2> start = {first, 0};
  const std::array<hsize_t, 2> size = {count, width};
  require_hdf5(
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
      name);
  const Hdf5Handle memory(H5Screate_simple(rank, size.data(), nullptr), H5Sclose, name);
  require_hdf5(H5Dread(dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, target),
               fmt::format("{}: read {}", file, name));
}

std::vector<double> LogReader::rows_of(const std::string& name, std::size_t width,
                                       std::uint64_t first, std::uint64_t count) const {
  std::vector<double> values(count * width);
  read_rows(name, width, first, count, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::optional<std::string> LogReader::scene_text() const {
  constexpr const char* kText = "/session/scene";
  constexpr std::size_t kLongest = std::size_t{1} << 24;  // bytes
  if (!has(kText)) return std::nullopt;
  const Hdf5Handle session(H5Gopen2(file_.get(), "/session", H5P_DEFAULT), H5Gclose, kText);
  double newer = 1.0;
  const Hdf5Handle attribute(H5Aopen(session.get(), "scene_is_newer", H5P_DEFAULT), H5Aclose,
                             path_.string() + ": scene_is_newer");
  require_hdf5(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &newer), "scene_is_newer");
  if (newer != 0.0) return std::nullopt;
  const Hdf5Handle dataset(H5Dopen2(file_.get(), kText, H5P_DEFAULT), H5Dclose, kText);
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, kText);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, kText);
  const std::size_t size = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0 ||
      H5Sget_simple_extent_npoints(space.get()) != 1 || size > kLongest) {
    throw InputError(path_.string(), kText, "found another type", "one text of fixed length");
  }
  std::string text(size, '\0');
  require_hdf5(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()),
               kText);
  text.resize(std::strlen(text.c_str()));
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace haptic

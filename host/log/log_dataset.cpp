#include "host/log/log_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "host/log/black_box_log.h"
#include "shared/artifact/user_block.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

/// Chunks are written in order: what is missing is at the end.
std::uint64_t readable_rows(const Hdf5Dataset& dataset, std::uint64_t most) {
  std::uint64_t readable = 0, end = most;
  if (end > 0 && dataset.has_data(end - 1)) return end;
  while (readable < end) {
    const std::uint64_t middle = readable + (end - readable) / 2;
    if (dataset.has_data(middle)) {
      readable = middle + 1;
    } else {
      end = middle;
    }
  }
  return readable;
}

bool is_model(const std::filesystem::path& path) {
  return first_bytes(path, kModelMagic.size()) ==
         std::string_view(kModelMagic.data(), kModelMagic.size());
}

}  // namespace

Hdf5Input open_log(const std::filesystem::path& path) {
  const std::string expected = "a log (haptic record, haptic simulate) or a black box of hapticd";
  if (is_black_box(path)) return Hdf5Input::in_memory(open_black_box(path), path, expected);
  if (is_model(path)) throw InputError(path.string(), "", "found a model (haptic bake)", expected);
  return Hdf5Input::open_unfinished(path, expected);
}

Hdf5Handle element_type(const LogColumn& column) {
  const hid_t types[] = {H5T_IEEE_F64LE, H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I64LE, H5T_C_S1};
  const hid_t type = types[static_cast<std::size_t>(column.type)];
  Hdf5Handle copy(H5Tcopy(type), H5Tclose, "copy an element type");
  if (column.type == FieldType::kText) require_hdf5(H5Tset_size(copy.get(), column.size), "text");
  return copy;
}

std::uint64_t common_rows(const Hdf5Input& log, std::span<const std::string> names,
                          bool by_reading) {
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  for (const std::string& name : names) {
    const Hdf5Dataset& dataset = log.dataset(name);
    rows = std::min(rows, dataset.rows());
    if (by_reading) rows = readable_rows(dataset, rows);
  }
  return rows;
}

void expect_equal_rows(const Hdf5Input& log, std::span<const std::string> names) {
  const std::uint64_t wanted = log.dataset(names.front()).rows();
  for (const std::string& name : names) {
    const Hdf5Dataset& dataset = log.dataset(name);
    if (dataset.rank() == 1 && dataset.rows() == wanted) continue;
    throw InputError(log.path().string(), name, fmt::format("{} rows", dataset.rows()),
                     fmt::format("{}, as {}", wanted, names.front()));
  }
}

}  // namespace haptic

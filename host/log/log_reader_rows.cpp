#include <fmt/format.h>

#include "host/log/log_reader.h"
#include "shared/error.h"

namespace haptic {

void LogReader::read_rows(const std::string& name, std::size_t width, std::uint64_t first,
                          std::uint64_t count, hid_t type, void* target) const {
  const Hdf5Dataset& dataset = file_.dataset(name);
  if (dataset.width() != width) {
    throw InputError(path_.string(), name, fmt::format("{} numbers per row", dataset.width()),
                     fmt::format("{}", width));
  }
  dataset.read(first, count, type, target);
}

std::vector<double> LogReader::rows_of(const std::string& name, std::size_t width,
                                       std::uint64_t first, std::uint64_t count) const {
  std::vector<double> values(count * width);
  read_rows(name, width, first, count, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::optional<std::string> LogReader::scene_text() const {
  constexpr const char* kText = "/session/scene";
  if (!has(kText) || file_.number("/session", "scene_is_newer") != 0.0) return std::nullopt;
  const std::string text = file_.dataset(kText).text();
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace haptic

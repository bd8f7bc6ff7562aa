#include "host/cli/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/files/json_text.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {

nlohmann::json read_state_file(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;  // 10^6 numbers
  const std::string text = read_regular_file(path, "a JSON file", kMaxBytes);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path.string(), "", fmt::format("not JSON ({})", error.what()));
  }
}

void require_keys(const nlohmann::json& object, const std::vector<std::string>& known,
                  const std::filesystem::path& file, const std::string& where) {
  if (!object.is_object()) {
    throw InputError(file.string(), where, fmt::format("found {}", object.type_name()),
                     "a JSON object");
  }
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view near = nearest_word(key, known);
    throw InputError(file.string(), where.empty() ? key : fmt::format("{}.{}", where, key),
                     near.empty()
                         ? fmt::format("unknown key (known keys: {})", fmt::join(known, " "))
                         : fmt::format("unknown key (did you mean \"{}\"?)", near));
  }
}

std::vector<double> require_numbers(const nlohmann::json& value, std::size_t count,
                                    const std::filesystem::path& file, const std::string& where) {
  const std::string expected = fmt::format("an array of {} finite numbers", count);
  if (!value.is_array()) {
    throw InputError(file.string(), where, fmt::format("found {}", value.type_name()), expected);
  }
  if (value.size() != count) {
    throw InputError(file.string(), where, fmt::format("found {} entries", value.size()), expected);
  }
  std::vector<double> numbers;
  for (const nlohmann::json& entry : value) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
      throw InputError(file.string(), where, fmt::format("found {}", json_text(entry)), expected);
    }
    numbers.push_back(entry.get<double>());
  }
  return numbers;
}

}  // namespace haptic

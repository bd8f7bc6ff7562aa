#include "shared/config/document_keys.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace haptic {

std::string number_text(double value) {
  std::string text = fmt::format("{:.10g}", value);
  const bool round = value != 0.0 && std::fmod(value, 1e5) == 0.0;
  if (const std::string power = fmt::format("{:.0e}", value); round && std::stod(power) == value) {
    text = power;
  }
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));  // not e+06
}

std::string range_text(const NumberRange& range) {
  const bool low = std::isfinite(range.minimum), high = std::isfinite(range.maximum);
  const std::string minimum = number_text(range.minimum), maximum = number_text(range.maximum);
  if (!low && !high) return {};
  if (!high) return fmt::format("{} {}", range.minimum_excluded ? ">" : ">=", minimum);
  if (!low) return fmt::format("{} {}", range.maximum_excluded ? "<" : "<=", maximum);
  if (!range.minimum_excluded && !range.maximum_excluded) {
    return fmt::format("{} to {}", minimum, maximum);
  }
  return fmt::format("{} {}, {} {}", range.minimum_excluded ? "above" : "at least", minimum,
                     range.maximum_excluded ? "below" : "at most", maximum);
}

std::string array_text(std::string_view what, std::size_t count, const NumberRange& range) {
  const std::string each = range_text(range);
  const std::string many = count == 0 ? std::string(what) : fmt::format("{} {}", count, what);
  return each.empty() ? many : fmt::format("{}, each {}", many, each);
}

std::string key_pattern(std::string_view path) {
  std::string pattern;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) pattern += c;
    if (c == '[') inside = true;
  }
  return pattern;
}

std::string_view table_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view name_of_key(std::string_view path) {
  const std::string_view table = table_of(path);
  std::string_view name = table.empty() ? path : path.substr(table.size() + 1);
  if (name.ends_with("[]")) name.remove_suffix(2);
  return name;
}

std::string written_table(std::string_view pattern) {
  if (pattern.empty()) return "the top-level table";
  std::string header;
  for (const char c : pattern) {
    if (c != '[' && c != ']') header += c;
  }
  return pattern.ends_with("[]") ? "[[" + header + "]]" : "[" + header + "]";
}

std::vector<std::string> keys_in_table(std::span<const KeyGroup> groups, std::string_view pattern) {
  std::vector<std::string> names;
  for (const KeyGroup& group : groups) {
    for (const DocumentKey& key : group.keys) {
      const std::string path = group.path_of(key);
      if (table_of(path) == pattern) names.emplace_back(name_of_key(path));
    }
  }
  return names;
}

}  // namespace haptic

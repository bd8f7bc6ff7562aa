#include "shared/config/document_keys.h"

#include <cstddef>

namespace haptic {

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

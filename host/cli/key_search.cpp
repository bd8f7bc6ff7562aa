#include "host/cli/key_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "host/bake/recipe_keys.h"
#include "host/unreduced/load_keys.h"
#include "rt/device/comedi/calibration_keys.h"
#include "rt/device/manifest_keys.h"
#include "rt/worlds/scene_keys.h"
#include "rt/worlds/world_kinds.h"
#include "shared/config/nearest_word.h"

namespace haptic {
namespace {

/// "[[contact]]" -> "contact", "body[0].name" -> "body.name".
std::string without_brackets(std::string_view word) {
  std::string plain = word.starts_with('[') ? std::string(word) : key_pattern(word);
  std::erase_if(plain, [](char c) { return c == '[' || c == ']'; });
  return plain;
}

bool ends_with_path(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '.';
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Whether a word in a parameter path is a placeholder for a name, such as BODY.
bool is_any_name(std::string_view word) {
  return std::ranges::all_of(word, [](unsigned char c) { return std::isupper(c); });
}

/// Whether `name` is the parameter `pattern`, in which words in capitals stand for any name.
bool is_parameter(std::string_view pattern, std::string_view name) {
  const std::vector<std::string> words = split(pattern, '.'), given = split(name, '.');
  if (words.size() != given.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (given[i].empty() || (!is_any_name(words[i]) && words[i] != given[i])) return false;
  }
  return true;
}

/// Keys whose path ends with `word`, and what is below the tables among them.
std::vector<FoundKey> at_path(const std::vector<FoundKey>& all, const std::string& word) {
  std::vector<FoundKey> found;
  for (const FoundKey& key : all) {
    const std::string path = without_brackets(key.path);
    bool matches = ends_with_path(path, word);
    // Every table above the key.
    for (std::size_t dot = path.rfind('.'); !matches && dot != std::string::npos && dot > 0;
         dot = path.rfind('.', dot - 1)) {
      matches = ends_with_path(std::string_view(path).substr(0, dot), word);
    }
    if (matches) found.push_back(key);
  }
  return found;
}

}  // namespace

std::vector<FoundKey> all_keys() {
  std::vector<KeyGroup> groups;
  const auto add = [&](const auto& more) { groups.insert(groups.end(), more.begin(), more.end()); };
  add(recipe_keys());
  add(scene_core_keys());
  for (const std::string_view kind : world_kind_names()) {
    groups.push_back(scene_keys_of(find_world_kind(kind)));
  }
  add(manifest_keys());
  add(load_keys());
  add(calibration_groups());

  std::vector<FoundKey> all;
  for (const KeyGroup& group : groups) {
    const std::string condition =
        group.selector.empty() ? "" : fmt::format("{} = \"{}\"", group.selector, group.value);
    for (const DocumentKey& key : group.keys) {
      all.push_back({std::string(group.document), condition, group.path_of(key), key});
    }
  }
  return all;
}

std::vector<std::string> documents(const std::vector<FoundKey>& all) {
  std::vector<std::string> names;
  for (const FoundKey& key : all) {
    if (std::ranges::find(names, key.document) == names.end()) names.push_back(key.document);
  }
  return names;
}

std::vector<FoundKey> find_keys(const std::vector<FoundKey>& all, std::string_view word) {
  const std::string plain = without_brackets(word);
  if (plain.empty()) return {};
  for (const std::string& document : documents(all)) {
    if (plain != document && !plain.starts_with(document + ".")) continue;
    std::vector<FoundKey> of_document;
    std::ranges::copy_if(all, std::back_inserter(of_document),
                         [&](const FoundKey& key) { return key.document == document; });
    return plain == document ? of_document
                             : at_path(of_document, plain.substr(document.size() + 1));
  }
  std::vector<FoundKey> found = at_path(all, plain);
  if (!found.empty()) return found;
  for (FoundKey key : all) {
    const std::vector<std::string> names = split(key.key.parameters, ' ');
    if (std::ranges::none_of(names, [&](const auto& name) { return is_parameter(name, plain); })) {
      continue;
    }
    key.parameter = plain;
    found.push_back(key);
  }
  return found;
}

std::vector<std::string> key_words(const std::vector<FoundKey>& all) {
  std::set<std::string> words;
  for (const FoundKey& key : all) {
    const std::string path = without_brackets(key.path);
    words.insert(
        {key.document, path, key.document + "." + path, std::string(name_of_key(key.path))});
    for (const std::string& parameter : split(key.key.parameters, ' ')) {
      if (std::ranges::none_of(split(parameter, '.'), is_any_name)) words.insert(parameter);
    }
  }
  return {words.begin(), words.end()};
}

std::string nearest_key(const std::vector<FoundKey>& all, std::string_view word) {
  const std::string plain = without_brackets(word);
  if (plain.empty()) return {};
  const bool is_path = plain.find('.') != std::string::npos;
  std::vector<std::string> candidates = documents(all);
  for (const FoundKey& key : all) {
    candidates.push_back(is_path ? without_brackets(key.path) : std::string(name_of_key(key.path)));
    if (!is_path) continue;
    for (const std::string& name : split(key.key.parameters, ' ')) candidates.push_back(name);
  }
  const std::string_view near = nearest_word(plain, candidates);
  // Half of a short word is no slip.
  return 2 * edit_distance(plain, near) > plain.size() ? std::string() : std::string(near);
}

}  // namespace haptic

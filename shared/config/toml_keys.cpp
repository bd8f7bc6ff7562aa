// What TomlTable knows of keys besides their values: paths, descriptions, unknown keys.
#include <fmt/format.h>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/config/nearest_word.h"
#include "shared/config/toml_state.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The tables of `groups` in which `name` is a key, as a file writes them: "[coupling], [[body]]".
std::string tables_with(const std::vector<KeyGroup>& groups, std::string_view name) {
  std::string tables;
  for (const KeyGroup& group : groups) {
    for (const DocumentKey& key : group.keys) {
      const std::string path = group.path_of(key);
      if (name_of_key(path) != name) continue;
      const std::string table = written_table(table_of(path));
      if (tables.find(table) != std::string::npos) continue;
      tables += (tables.empty() ? "" : ", ") + table;
    }
  }
  return tables;
}

}  // namespace

bool TomlTable::has(std::string_view key) const {
  return state_->asks(key);
}

bool TomlTable::is_array(std::string_view key) const {
  const toml::node* const node = state_->table->get(key);
  return node != nullptr && node->is_array();
}

void TomlTable::use_keys(std::span<const KeyGroup> groups) const {
  std::vector<KeyGroup>& known = state_->document->keys;
  known.insert(known.end(), groups.begin(), groups.end());
}

std::string TomlTable::path_of(std::string_view key) const {
  if (state_->path.empty()) return std::string(key);
  if (key.empty()) return state_->path;
  return fmt::format("{}.{}", state_->path, key);
}

void TomlTable::finish() const {
  const std::vector<KeyGroup>& groups = state_->document->keys;
  std::set<std::string> all(state_->asked.begin(), state_->asked.end());
  for (std::string& name : keys_in_table(groups, key_pattern(state_->path))) {
    all.insert(std::move(name));
  }
  const std::vector<std::string> known(all.begin(), all.end());
  for (const auto& [key, node] : *state_->table) {
    const std::string_view name = key.str();
    if (state_->asked.contains(name)) continue;
    if (all.contains(std::string(name))) {
      throw InputError(location(name), path_of(name),
                       "this key has no effect with the other keys of its table");
    }
    std::string expected;
    if (const std::string_view near = nearest_word(name, known); !near.empty()) {
      expected = fmt::format("did you mean \"{}\"?", near);
    } else if (const std::string elsewhere = tables_with(groups, name); !elsewhere.empty()) {
      expected = fmt::format("it is a key of {}", elsewhere);
    } else {
      expected = fmt::format("known keys: {}", fmt::join(known, " "));
    }
    throw InputError(location(name), path_of(name), fmt::format("unknown key ({})", expected));
  }
}

}  // namespace haptic

#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shared/config/document_keys.h"
#include "shared/config/toml_reader.h"

/// For the sources of toml_reader.h only.
namespace haptic {

struct TomlDocument::State {
  std::string text;
  std::vector<std::string_view> lines;
  std::filesystem::path path;
  toml::table root;
  /// Descriptions of the keys, as far as the reader has named them.
  mutable std::vector<KeyGroup> keys;
};

struct TomlTable::State {
  std::shared_ptr<const TomlDocument::State> document;
  const toml::table* table = nullptr;
  std::string path;  // dotted, empty for the root
  std::set<std::string, std::less<>> asked;

  /// Whether `key` is there; finish() does not refuse it.
  bool asks(std::string_view key) {
    asked.emplace(key);
    return table->contains(key);
  }
};

}  // namespace haptic

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/config/document_keys.h"
#include "shared/config/nearest_word.h"
#include "shared/config/number_range.h"

namespace haptic {

/// One table of a TOML file, read strictly: every getter records its key, and `finish` refuses the
/// keys that were not read. Every error is an InputError of the form
///   `recipe.toml:7: material.youngs_modulus: found -5e4, expected a number > 0 [Pa]`.
///
/// Getters refuse an absent key. Numbers must be finite. Cheap to copy; copies
/// share the record of keys. For load time only.
class TomlTable {
 public:
  bool has(std::string_view key) const;
  /// Whether the key is there and an array: for keys that take a word or a list.
  bool is_array(std::string_view key) const;

  double number(std::string_view key, const NumberRange& range) const;
  std::int64_t integer(std::string_view key, std::int64_t minimum, std::int64_t maximum) const;
  bool boolean(std::string_view key) const;

  std::string text(std::string_view key) const;  ///< non-empty
  /// One of `choices`; a miss lists them and names the nearest.
  std::string choice(std::string_view key, std::span<const std::string_view> choices) const;

  /// A file path, relative ones resolved against the folder of the TOML file.
  std::filesystem::path file(std::string_view key) const;

  /// Array of exactly `count` texts, none empty.
  std::vector<std::string> texts(std::string_view key, std::size_t count) const;

  /// One file path or an array of at least one, resolved as by `file`.
  std::vector<std::filesystem::path> files(std::string_view key) const;

  /// Array of exactly `count` numbers (any count if 0).
  std::vector<double> numbers(std::string_view key, std::size_t count,
                              const NumberRange& range) const;
  /// Array of integers in [minimum, maximum].
  std::vector<std::int64_t> integers(std::string_view key, std::int64_t minimum,
                                     std::int64_t maximum) const;

  TomlTable table(std::string_view key) const;
  std::optional<TomlTable> optional_table(std::string_view key) const;
  /// Array of tables (`[[key]]` or inline); empty if absent.
  std::vector<TomlTable> tables(std::string_view key) const;

  /// Adds descriptions of the document's keys, with which finish() explains an unknown key. The
  /// descriptions must outlive the document.
  void use_keys(std::span<const KeyGroup> groups) const;

  /// Refuses every key of this table that no getter asked for. Names the nearest of those that were
  /// asked for or are described, or the tables in which the key belongs. Call once per table, after
  /// the last getter.
  void finish() const;

  /// `<file>:<line>` of a key (of the table itself if the key is empty or absent).
  std::string location(std::string_view key = {}) const;
  /// Dotted path of a key, e.g. "body[1].model".
  std::string path_of(std::string_view key) const;
  /// Refuses the value of `key` for a reason only the caller knows.
  [[noreturn]] void refuse(std::string_view key, std::string_view found,
                           std::string_view expected) const;

 private:
  friend class TomlDocument;
  struct State;
  explicit TomlTable(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// A parsed TOML file.
class TomlDocument {
 public:
  /// @throws InputError if it cannot be read, is not TOML (line and column named), has a zero byte
  static TomlDocument load(const std::filesystem::path& path);
  /// @param source  name of the file in messages; relative paths resolve against its folder
  static TomlDocument parse(std::string text, const std::filesystem::path& source);

  TomlTable root() const;
  const std::string& text() const;  ///< the file as read
  const std::filesystem::path& path() const;

 private:
  struct State;
  explicit TomlDocument(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
  friend class TomlTable;
};

}  // namespace haptic

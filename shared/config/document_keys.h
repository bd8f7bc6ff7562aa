#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/config/number_range.h"

namespace haptic {

/// What the value of a key is.
enum class KeyKind : std::uint8_t {
  kNumber,
  kInteger,
  kNumbers,   ///< array
  kIntegers,  ///< array
  kFlag,      ///< true or false
  kText,
  kTexts,   ///< array
  kChoice,  ///< one of the words in DocumentKey::range
  kFile,    ///< path, relative to the folder of the document
  kFiles,   ///< one path or an array
  kTable,
  kTables,  ///< array of tables
};

/// The description of one key of a document (recipe, scene, manifest, ...).
/// A KeySchema makes it of the declaration that also reads the key (key_schema.h).
struct DocumentKey {
  /// Dotted, with [] after an array of tables: "contact[].friction.static", "joint[]".
  std::string path = {};
  KeyKind kind = KeyKind::kText;
  /// SI, e.g. "N/m"; "1": a pure number; "-": no quantity.
  std::string unit = {};
  /// As range_text writes it; the words of a choice, separated by ", "; empty: any.
  std::string range = {};
  /// Default, "required", or in words what happens without the key.
  std::string absent = {};
  std::string meaning = {};  ///< sentences
  /// Names of `haptic set` that change the value while a daemon runs, separated by blanks.
  /// Words in capitals stand for a name: "BODY.stiffness".
  std::string parameters = {};
  NumberRange numbers = {};  ///< of a number, of each in an array: what `range` writes
  std::size_t count = 0;     ///< of values in an array; 0: any
  bool required = false;     ///< in every table of its kind
};

/// Keys that are in a document under a condition, e.g. of a scene with `world = "cloth"`.
struct KeyGroup {
  std::string_view document;  ///< "scene"
  std::string_view selector;  ///< key of the condition, "world"; empty: always
  std::string_view value;     ///< its value, "cloth"
  std::string_view prefix;    ///< before the path of each key, e.g. "device."
  std::span<const DocumentKey> keys;

  std::string path_of(const DocumentKey& key) const { return std::string(prefix) + key.path; }
};

/// A number as in descriptions: "0.5", "1e6", "1e-9".
std::string number_text(double value);

/// A range as in descriptions: "> 0", "0 to 1", "above 0, at most 1"; empty for any number.
std::string range_text(const NumberRange& range);

/// Of an array of `count` values: "3 numbers, each > 0". @param count  0: any
std::string array_text(std::string_view what, std::size_t count, const NumberRange& range);

/// `path` without what stands in brackets: "body[3].model" -> "body[].model".
std::string key_pattern(std::string_view path);

/// Path of the table of a key: "contact[].friction" -> "contact[]"; empty for the root.
std::string_view table_of(std::string_view path);

/// Last word of a path, without brackets: "contact[].friction" -> "friction", "joint[]" -> "joint".
std::string_view name_of_key(std::string_view path);

/// Header of a table in a file: "contact[].friction" -> "[contact.friction]", "body[]" ->
/// "[[body]]"; of the root "the top-level table".
std::string written_table(std::string_view pattern);

/// Names of all keys in `groups` of the table `pattern` ("" is the root).
std::vector<std::string> keys_in_table(std::span<const KeyGroup> groups, std::string_view pattern);

}  // namespace haptic

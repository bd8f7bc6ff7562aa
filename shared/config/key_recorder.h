#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/config/document_keys.h"
#include "shared/config/number_range.h"

namespace haptic {

/// What a getter of TomlTable was asked for.
struct AskedKey {
  std::string path;             ///< pattern, as DocumentKey::path
  std::optional<KeyKind> kind;  ///< absent: only whether the key is there
  std::string unit;             ///< as DocumentKey::unit
  std::string range;            ///< as DocumentKey::range
  /// Default that the getter was given: a number, true, false or a text; "required". Absent: none.
  std::optional<std::string> absent;

  bool operator==(const AskedKey&) const = default;
};

/// While it lives, records every question that the thread's readers ask a TomlTable. For tests,
/// which compare the questions with the descriptions of keys.
class KeyRecorder {
 public:
  KeyRecorder();
  ~KeyRecorder();
  KeyRecorder(const KeyRecorder&) = delete;
  KeyRecorder& operator=(const KeyRecorder&) = delete;

  const std::vector<AskedKey>& asked() const { return asked_; }

  /// The recorder of this thread; nullptr: none.
  static KeyRecorder* current();
  void add(AskedKey asked) { asked_.push_back(std::move(asked)); }

 private:
  KeyRecorder* outer_;
  std::vector<AskedKey> asked_;
};

/// A number as in descriptions: "0.5", "1e6", "1e-9".
std::string number_text(double value);

/// A range as in descriptions: "> 0", "0 to 1", "above 0, at most 1"; empty for any number.
std::string range_text(const NumberRange& range);

/// Of an array of `count` values: "3 numbers, each > 0". @param count  0: any
std::string array_text(std::string_view what, std::size_t count, const NumberRange& range);

}  // namespace haptic

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared/config/document_keys.h"

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

}  // namespace haptic

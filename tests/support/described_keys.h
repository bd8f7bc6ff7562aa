#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "shared/config/document_keys.h"
#include "shared/config/key_recorder.h"

namespace haptic {

/// Where a description rightly differs from what its reader asks for; each with the reason.
struct KeyExceptions {
  std::map<std::string, std::string>
      range{};  ///< the range depends on another key, or is checked later
  std::map<std::string, std::string> absent{};  ///< the default depends on another key
};

namespace described_keys {

/// Whether a text begins with the number `value`, however it is written.
inline bool begins_with(const std::string& text, const std::string& value) {
  try {
    return std::stod(text) == std::stod(value);
  } catch (const std::exception&) {
    return text == value;
  }
}

inline bool is_number(const std::string& text) {
  return !text.empty() && text.find("inf") == std::string::npos &&
         text.find_first_not_of("0123456789.e-") == std::string::npos;
}

inline bool same_kind(KeyKind row, KeyKind asked) {
  // Some readers compare a text with words themselves; a path may also be read as a text.
  const bool word = row == KeyKind::kChoice || row == KeyKind::kFile;
  return row == asked || (word && asked == KeyKind::kText);
}

/// What every row must satisfy by itself.
inline void expect_well_formed(const DocumentKey& key, const std::string& path) {
  const bool quantity = key.kind == KeyKind::kNumber || key.kind == KeyKind::kNumbers ||
                        key.kind == KeyKind::kInteger || key.kind == KeyKind::kIntegers;
  EXPECT_EQ(key.unit == "-", !quantity) << path << ": unit " << key.unit;
  EXPECT_FALSE(key.unit.empty()) << path;
  EXPECT_FALSE(key.absent.empty()) << path;
  EXPECT_EQ(path.ends_with("[]"), key.kind == KeyKind::kTables) << path;
  ASSERT_FALSE(key.meaning.empty()) << path;
  EXPECT_TRUE(key.meaning.ends_with('.')) << path;
  EXPECT_FALSE(std::islower(static_cast<unsigned char>(key.meaning.front()))) << path;
  EXPECT_GE(key.meaning.size(), 10u) << path;
  EXPECT_LE(key.meaning.size(), 260u) << path;
  if (key.kind == KeyKind::kChoice) {
    EXPECT_FALSE(key.range.empty()) << path;
  }
}

inline void expect_same(const DocumentKey& key, const std::string& path,
                        const std::vector<AskedKey>& asked, const KeyExceptions& exceptions) {
  bool typed = false, same_range = false, optional = false, required = false;
  std::string ranges, defaults;
  for (const AskedKey& one : asked) {
    if (!one.kind) {
      optional = true;
      continue;
    }
    typed = true;
    EXPECT_TRUE(same_kind(key.kind, *one.kind)) << path << ": kind " << int(*one.kind);
    if (key.kind == KeyKind::kNumber || key.kind == KeyKind::kNumbers) {
      // "N m/rad or N/m": one or the other, as another key says.
      const std::string units = " or " + std::string(key.unit) + " or ";
      EXPECT_NE(units.find(" or " + one.unit + " or "), std::string::npos)
          << path << ": unit " << key.unit << ", read in " << one.unit;
    }
    same_range = same_range || one.range == key.range;
    ranges += " \"" + one.range + "\"";
    if (!one.absent || one.absent->empty()) optional = true;
    if (one.absent == "required") required = true;
    // An empty text stands for no default.
    if (!one.absent || one.absent->empty() || one.absent == "required") continue;
    optional = true;
    defaults += " \"" + *one.absent + "\"";
    if (exceptions.absent.contains(path)) continue;
    const bool number = is_number(*one.absent);
    const bool has_default = number || key.kind == KeyKind::kFlag || key.kind == KeyKind::kChoice;
    if (has_default) {
      EXPECT_TRUE(begins_with(std::string(key.absent.substr(0, key.absent.find(';'))), *one.absent))
          << path << ": the default is " << *one.absent << ", described as " << key.absent;
    } else {
      EXPECT_FALSE(is_number(std::string(key.absent))) << path << ": " << *one.absent;
    }
  }
  EXPECT_TRUE(typed) << path << ": no reader asks for its value";
  const bool compares = key.kind != KeyKind::kText && key.kind != KeyKind::kFile;
  const bool words =
      key.kind == KeyKind::kChoice && ranges.find_first_not_of("\" ") == std::string::npos;
  if (typed && compares && !words && !exceptions.range.contains(path)) {
    EXPECT_TRUE(same_range) << path << ": described as \"" << key.range << "\", read as" << ranges;
  }
  if (required && !optional) {
    EXPECT_NE(key.absent.find("required"), std::string_view::npos)
        << path << ": described as " << key.absent;
  }
  if (!required && !defaults.empty() && key.absent.starts_with("required")) {
    ADD_FAILURE() << path << ": described as required, read with" << defaults;
  }
}

}  // namespace described_keys

/// Expects that every key a reader asked for is described, that a reader asked for every described
/// key, and that kind, unit, range and default agree.
inline void expect_described(std::span<const KeyGroup> groups, const std::vector<AskedKey>& asked,
                             const KeyExceptions& exceptions = {}) {
  std::map<std::string, std::vector<AskedKey>> by_path;
  for (const AskedKey& one : asked) {
    std::vector<AskedKey>& questions = by_path[one.path];
    if (std::ranges::find(questions, one) == questions.end()) questions.push_back(one);
  }
  std::set<std::string> described;
  for (const KeyGroup& group : groups) {
    for (const DocumentKey& key : group.keys) {
      const std::string path = group.path_of(key);
      EXPECT_TRUE(described.insert(path).second) << path << " is described twice";
      described_keys::expect_well_formed(key, path);
      std::vector<AskedKey> questions = by_path[path];
      // has() of an array of tables.
      if (path.ends_with("[]")) {
        const std::string plain = path.substr(0, path.size() - 2);
        for (const AskedKey& one : by_path[plain]) questions.push_back(one);
        by_path.erase(plain);
      }
      described_keys::expect_same(key, path, questions, exceptions);
      by_path.erase(path);
    }
  }
  for (const auto& [path, questions] : by_path) {
    ADD_FAILURE() << path << ": a reader asks for it, and it is not described";
  }
  for (const auto* reasons : {&exceptions.range, &exceptions.absent}) {
    for (const auto& [path, why] : *reasons) {
      EXPECT_TRUE(described.contains(path)) << path << " is an exception and no key";
      EXPECT_FALSE(why.empty()) << path;
    }
  }
}

}  // namespace haptic

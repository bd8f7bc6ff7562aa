#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <span>
#include <string>

#include "shared/config/document_keys.h"

namespace haptic {

/// Expects what every description must satisfy by itself.
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

/// Expects that every key of a document is described once, and well.
inline void expect_described(std::span<const KeyGroup> groups) {
  std::set<std::string> paths;
  for (const KeyGroup& group : groups) {
    for (const DocumentKey& key : group.keys) {
      const std::string path = group.path_of(key);
      EXPECT_TRUE(paths.insert(path).second) << path << " is described twice";
      expect_well_formed(key, path);
    }
  }
  EXPECT_FALSE(paths.empty());
}

}  // namespace haptic

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/bake/stage_archive.h"

namespace haptic {

/// 128-bit content hash (XXH3) of a stage's result or of everything it depends on.
struct StageDigest {
  std::uint64_t low = 0, high = 0;
  bool operator==(const StageDigest&) const = default;
  std::string text() const;  ///< 32 hexadecimal digits
};

template <class Archive>
void archive(Archive& a, StageDigest& d) {
  a(d.low, d.high);
}

StageDigest digest_of(std::span<const std::byte> bytes);

/// Identity of this program: the hash of the running executable. Results of another build are not
/// used.
/// @throws OperationError if it cannot be read
StageDigest tool_digest();

/// Everything a stage depends on, one value after the other: recipe values and the digests of the
/// results it reads.
class StageKey {
 public:
  explicit StageKey(std::string_view stage) { add(std::string(stage)); }

  template <typename... T>
  StageKey& add(const T&... values) {
    (writer_(const_cast<T&>(values)), ...);  // a writer only reads
    return *this;
  }
  StageDigest digest(const StageDigest& tool) const;

 private:
  StageWriter writer_;
};

}  // namespace haptic

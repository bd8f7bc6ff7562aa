#include "tests/support/model_hashes.h"

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "shared/artifact/user_block.h"

namespace haptic {

void rebuild_model_hashes(std::span<std::uint8_t> file) {
  if (file.size() < kUserBlockSize) return;
  UserBlockHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  header.file_length = file.size();
  const auto count = std::min<std::size_t>(header.section_count, kMaxSections);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t* const at = file.data() + sizeof header + i * sizeof(UserBlockEntry);
    UserBlockEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.offset > file.size() || entry.length > file.size() - entry.offset) continue;
    entry.hash = XXH3_64bits(file.data() + entry.offset, entry.length);
    std::memcpy(at, &entry, sizeof entry);
  }
  if (header.index_offset <= kUserBlockSize &&
      header.index_length <= kUserBlockSize - header.index_offset) {
    header.index_hash = XXH3_64bits(file.data() + header.index_offset, header.index_length);
  }
  header.header_hash = XXH3_64bits(&header, offsetof(UserBlockHeader, header_hash));
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace haptic

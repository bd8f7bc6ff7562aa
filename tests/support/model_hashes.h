#pragma once

#include <cstdint>
#include <span>

namespace haptic {

/// Corrects the length and every hash of a model file's bytes, as another writer could:
/// other crafted content then passes the hash checks. Entries that are not inside the bytes keep
/// their hash; bytes too short for a user block stay as they are.
void rebuild_model_hashes(std::span<std::uint8_t> file);

}  // namespace haptic

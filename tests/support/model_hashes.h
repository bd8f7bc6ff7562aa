#pragma once

#include <cstdint>
#include <span>

namespace haptic {

/// Puts the length and every hash of a model file's bytes right, as a writer of its own could:
/// what is crafted in the rest then gets past them. Entries that do not lie inside the bytes keep
/// their hash; bytes too short for a user block stay as they are.
void rebuild_model_hashes(std::span<std::uint8_t> file);

}  // namespace haptic

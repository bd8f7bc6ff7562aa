#include "host/bake/stage_key.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <memory>

namespace haptic {

std::string StageDigest::text() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

StageDigest digest_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

StageDigest tool_digest() {
  const char* path = "/proc/self/exe";
  std::ifstream file(path, std::ios::binary);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> block(std::size_t{1} << 20);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) throw OperationError(fmt::format("{}: cannot be read", path));
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {hash.low64, hash.high64};
}

StageDigest StageKey::digest(const StageDigest& tool) const {
  StageWriter all = writer_;
  StageDigest copy = tool;
  all(copy);
  return digest_of(all.take());
}

}  // namespace haptic

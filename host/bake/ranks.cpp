#include "host/bake/ranks.h"

#include <tbb/parallel_for.h>

#include <cstdint>
#include <cstring>

#include "shared/assert.h"

namespace haptic {

std::vector<Ranks::Bytes> Ranks::gather(Bytes mine) const {
  std::vector<Bytes> all;
  all.push_back(std::move(mine));
  return all;
}

Ranks::Range Ranks::range_of(int rank, std::size_t parts) const {
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(size());
  return {r * parts / n, (r + 1) * parts / n};
}

std::vector<Ranks::Bytes> Ranks::run_parts(std::size_t parts, Parts how,
                                           const std::function<Bytes(std::size_t)>& work) const {
  const Range range = range_of(rank(), parts);
  std::vector<Bytes> mine(range.end - range.begin);
  const auto one = [&](std::size_t i) { mine[i] = work(range.begin + i); };
  if (how == Parts::kAtOnce) {
    tbb::parallel_for(std::size_t{0}, mine.size(), one);
  } else {
    for (std::size_t i = 0; i < mine.size(); ++i) one(i);
  }
  if (size() == 1) return mine;

  // One message a rank: the length of each part, then its bytes.
  Bytes message;
  for (const Bytes& bytes : mine) {
    const std::uint64_t length = bytes.size();
    const std::size_t at = message.size();
    message.resize(at + sizeof length + bytes.size());
    std::memcpy(message.data() + at, &length, sizeof length);
    if (length > 0) std::memcpy(message.data() + at + sizeof length, bytes.data(), bytes.size());
  }
  mine.clear();
  std::vector<Bytes> results;
  for (const Bytes& bytes : gather(std::move(message))) {
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint64_t length = 0;
      HAPTIC_DEMAND(bytes.size() - at >= sizeof length);
      std::memcpy(&length, bytes.data() + at, sizeof length);
      at += sizeof length;
      HAPTIC_DEMAND(bytes.size() - at >= length);
      results.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                           bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
      at += length;
    }
  }
  HAPTIC_DEMAND(!first() || results.size() == parts);
  return results;
}

}  // namespace haptic

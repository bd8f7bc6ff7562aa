#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/ipc/shared_words.h"
#include "shared/realtime.h"

namespace haptic {

/// Copies the state blocks of rate kDisplay into shared memory, a part in each cycle, so that no
/// cycle takes long however large they are. There are two copies: readers use the complete one
/// while the other is written (layout: telemetry_layout.h, "display").
class DisplayWriter {
 public:
  /// Most values copied in a cycle: 32 KiB, some 3 us.
  static constexpr std::size_t kChunk = 8192;

  DisplayWriter() = default;
  /// @param shared   of the segment: u64 head, 56 bytes unused, two copies of `stride` bytes
  /// @param values   of all blocks, > 0
  /// @param interval cycles from the begin of one copy to the begin of the next, at least
  DisplayWriter(std::byte* shared, std::uint64_t stride, std::uint64_t values,
                std::uint64_t interval)
      : shared_(shared), stride_(stride), values_(values), interval_(interval) {}

  /// @param blocks  values of each block now; missing values read as zero
  void publish(std::uint64_t cycle,
               std::span<const std::span<const double>> blocks) HAPTIC_REALTIME {
    if (values_ == 0) return;
    std::byte* const copy = shared_ + 64 + published_ % 2 * stride_;
    auto* const words = reinterpret_cast<std::uint64_t*>(copy);
    if (next_ == 0) {
      if (published_ > 0 && cycle - first_cycle_ < interval_) return;
      first_cycle_ = cycle;
      seqlock_begin(words[0], 2 * published_ + 1);
    }
    const std::uint64_t end = values_ - next_ < kChunk ? values_ : next_ + kChunk;
    copy_values(blocks, end, words + 3);
    if (next_ < values_) return;
    next_ = 0;
    store_word(words[1], first_cycle_, std::memory_order_release);
    store_word(words[2], cycle, std::memory_order_release);
    seqlock_end(words[0], 2 * published_ + 2);
    ++published_;
    store_word(*reinterpret_cast<std::uint64_t*>(shared_), published_, std::memory_order_release);
  }

 private:
  /// Values next_ to end - 1; next_ is even, as kChunk is: two values a word.
  void copy_values(std::span<const std::span<const double>> blocks, std::uint64_t end,
                   std::uint64_t* words) HAPTIC_REALTIME {
    std::size_t block = 0;
    std::uint64_t before = 0;  // values of the blocks before this one
    const auto value = [&](std::uint64_t at) HAPTIC_REALTIME {
      while (block < blocks.size() && at - before >= blocks[block].size()) {
        before += blocks[block++].size();
      }
      return block < blocks.size() && at < values_ ? static_cast<float>(blocks[block][at - before])
                                                   : 0.0f;
    };
    for (; next_ < end; next_ += 2) {
      const float pair[2] = {value(next_), value(next_ + 1)};
      store_words(&words[next_ / 2], pair, sizeof pair);
    }
    next_ = end;
  }

  std::byte* shared_ = nullptr;
  std::uint64_t stride_ = 0, values_ = 0, interval_ = 1;
  std::uint64_t published_ = 0, first_cycle_ = 0;
  std::uint64_t next_ = 0;  ///< of the copy being written
};

}  // namespace haptic

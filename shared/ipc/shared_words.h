#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "shared/realtime.h"

namespace haptic {

/// Plain data that crosses shared memory as whole 64-bit words.
template <class T>
concept SharedPlain = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> && sizeof(T) %
                              8 ==
                          0 &&
                      alignof(T) == 8;

/// FNV-1a over what describes a layout: two builds that differ in any of it differ in the hash.
class LayoutHash {
 public:
  constexpr LayoutHash& add(std::size_t number) {
    for (int shift = 0; shift < 32; shift += 8) add_byte((number >> shift) & 0xff);
    return *this;
  }
  constexpr LayoutHash& add(std::initializer_list<std::size_t> numbers) {
    for (const std::size_t number : numbers) add(number);
    return *this;
  }
  constexpr LayoutHash& add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    return add(text.size());
  }
  constexpr std::uint64_t value() const { return hash_; }

 private:
  constexpr void add_byte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// Word-wise copies without data races: each word is a release store and an acquire load (plain
/// moves on x86). A reader that reads a word of a newer write therefore also sees that write's odd
/// sequence, so a seqlock around them needs no fence.
inline void store_words(void* shared, const void* source, std::size_t bytes) HAPTIC_REALTIME {
  auto* words = static_cast<std::uint64_t*>(shared);
  const auto* from = static_cast<const unsigned char*>(source);
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    std::uint64_t word;
    std::memcpy(&word, from + 8 * i, 8);
    std::atomic_ref(words[i]).store(word, std::memory_order_release);
  }
}

/// `shared` may be a read-only mapping: a 64-bit atomic load never writes.
inline void load_words(void* target, const void* shared, std::size_t bytes) HAPTIC_REALTIME {
  auto* words = const_cast<std::uint64_t*>(static_cast<const std::uint64_t*>(shared));
  auto* to = static_cast<unsigned char*>(target);
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    const std::uint64_t word = std::atomic_ref(words[i]).load(std::memory_order_acquire);
    std::memcpy(to + 8 * i, &word, 8);
  }
}

inline std::uint64_t load_word(const std::uint64_t& shared,
                               std::memory_order order = std::memory_order_relaxed)
    HAPTIC_REALTIME {
  return std::atomic_ref(const_cast<std::uint64_t&>(shared)).load(order);
}
inline void store_word(std::uint64_t& shared, std::uint64_t value,
                       std::memory_order order = std::memory_order_relaxed) HAPTIC_REALTIME {
  std::atomic_ref(shared).store(value, order);
}
/// Single writer: no read-modify-write needed.
inline void add_word(std::uint64_t& shared, std::uint64_t amount) HAPTIC_REALTIME {
  store_word(shared, load_word(shared) + amount);
}

/// Seqlock, writer's side: odd while the payload is being written.
inline void seqlock_begin(std::uint64_t& sequence, std::uint64_t odd) HAPTIC_REALTIME {
  store_word(sequence, odd);
}
inline void seqlock_end(std::uint64_t& sequence, std::uint64_t even) HAPTIC_REALTIME {
  store_word(sequence, even, std::memory_order_release);
}
/// Reader's side: the sequence before the copy, and whether it is unchanged after it.
inline std::uint64_t seqlock_read_begin(const std::uint64_t& sequence) HAPTIC_REALTIME {
  return load_word(sequence, std::memory_order_acquire);
}
inline bool seqlock_read_holds(const std::uint64_t& sequence,
                               std::uint64_t before) HAPTIC_REALTIME {
  return load_word(sequence) == before;
}

}  // namespace haptic

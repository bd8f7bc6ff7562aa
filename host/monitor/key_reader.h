#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace haptic {

/// A key as a terminal sends it: a printable ASCII character, or an arrow.
enum class Key : std::uint16_t { kUp = 256, kDown, kRight, kLeft };

constexpr Key key_of(char c) {
  return static_cast<Key>(static_cast<unsigned char>(c));
}

/// "a", "left". The inverse of key_named.
std::string name_of(Key key);
/// @returns nothing unless it is the name of an arrow or one printable character but the space
std::optional<Key> key_named(std::string_view name);

/// Finds the keys in the bytes of a terminal: arrows are ESC [ A to D or ESC O A to D, with
/// parameters where Shift, Alt or Ctrl are held. Sequences of other keys are skipped, also where
/// they come in several parts, and so are bytes that are no printable ASCII.
class KeyReader {
 public:
  /// The next byte. @returns the key that it completes
  std::optional<Key> take(char byte);

 private:
  enum class State : std::uint8_t { kPlain, kEscape, kSequence };
  State state_ = State::kPlain;
};

}  // namespace haptic

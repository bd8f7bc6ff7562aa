#include "host/monitor/key_reader.h"

#include <array>

namespace haptic {
namespace {

struct Arrow {
  std::string_view name;
  Key key;
};
constexpr std::array<Arrow, 4> kArrows = {
    {{"up", Key::kUp}, {"down", Key::kDown}, {"right", Key::kRight}, {"left", Key::kLeft}}};

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

std::string name_of(Key key) {
  for (const Arrow& arrow : kArrows) {
    if (arrow.key == key) return std::string(arrow.name);
  }
  return std::string(1, static_cast<char>(key));
}

std::optional<Key> key_named(std::string_view name) {
  for (const Arrow& arrow : kArrows) {
    if (arrow.name == name) return arrow.key;
  }
  if (name.size() != 1 || !is_printable(name[0]) || name[0] == ' ') return std::nullopt;
  return key_of(name[0]);
}

std::optional<Key> KeyReader::take(char byte) {
  constexpr char kEscapeByte = '\x1b';
  if (byte == kEscapeByte) {
    state_ = State::kEscape;
    return std::nullopt;
  }
  switch (state_) {
    case State::kPlain:
      break;
    case State::kEscape:
      state_ = byte == '[' || byte == 'O' ? State::kSequence : State::kPlain;
      if (state_ == State::kSequence) return std::nullopt;
      break;  // Alt with a key, or the Escape key before one
    case State::kSequence:
      // Parameters and intermediate characters come before the final one, from '@' on.
      if (byte >= ' ' && byte < '@') return std::nullopt;
      state_ = State::kPlain;
      if (byte < 'A' || byte > 'D') return std::nullopt;
      return kArrows[static_cast<std::size_t>(byte - 'A')].key;
  }
  if (!is_printable(byte)) return std::nullopt;
  return key_of(byte);
}

}  // namespace haptic

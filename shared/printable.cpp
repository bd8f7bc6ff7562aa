#include "shared/printable.h"

#include <cstddef>

namespace haptic {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

/// "\x1b" or "\u{202e}".
std::string_view escaped(char32_t code, bool is_byte, EscapeBuffer& buffer) noexcept {
  std::size_t end = 0;
  buffer[end++] = '\\';
  buffer[end++] = is_byte ? 'x' : 'u';
  if (!is_byte) buffer[end++] = '{';
  for (int shift = is_byte ? 4 : 12; shift >= 0; shift -= 4) {
    buffer[end++] = kDigits[code >> shift & 0xf];
  }
  if (!is_byte) buffer[end++] = '}';
  return {buffer.data(), end};
}

}  // namespace

std::optional<char32_t> take_character(std::string_view& text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  bool valid = length > 0 && length <= text.size();
  char32_t code = length < 2 ? first : first & (0x7f >> length);
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xc0) == 0x80;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  valid = valid && code >= kMin[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  text.remove_prefix(valid ? length : 1);
  if (!valid) return std::nullopt;
  return code;
}

bool is_control(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) noexcept {
  const bool changes_direction = c == 0x061c || c == 0x200e || c == 0x200f ||
                                 (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return !is_control(c) && !changes_direction;
}

std::string_view take_printable(std::string_view& text, EscapeBuffer& escape) noexcept {
  const std::string_view before = text;
  const std::optional<char32_t> character = take_character(text);
  if (!character) return escaped(static_cast<unsigned char>(before[0]), true, escape);
  if (is_printable(*character)) return before.substr(0, before.size() - text.size());
  return escaped(*character, *character < 0x80, escape);
}

std::string printable(std::string_view text) {
  std::string result;
  EscapeBuffer escape{};
  while (!text.empty()) result += take_printable(text, escape);
  return result;
}

}  // namespace haptic

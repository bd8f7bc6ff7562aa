#include "host/monitor/text_columns.h"

#include <wchar.h>

#include <algorithm>
#include <cstdint>

namespace haptic {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// Takes the first character off the text. @returns kReplacement for a byte that begins none
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  bool valid = length > 0 && length <= text.size();
  char32_t code = length < 2 ? first : first & (0x7F >> length);
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  valid = valid && code >= kLeast[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  text.remove_prefix(valid ? length : 1);
  return valid ? code : kReplacement;
}

std::string utf8(char32_t c) {
  const auto rest = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), rest(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), rest(6), rest(0)};
  return {static_cast<char>(0xF0 | c >> 18), rest(12), rest(6), rest(0)};
}

/// Marks that change the direction of what follows.
bool turns_text(char32_t c) {
  return c == 0x200E || c == 0x200F || c == 0x061C || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

int width_of(char32_t c) {
  return c < 0x20 || c == 0x7F || turns_text(c) ? -1 : wcwidth(static_cast<wchar_t>(c));
}

/// The character as it is shown.
char32_t shown(char32_t c) {
  return width_of(c) >= 0 ? c : U'?';
}

}  // namespace

std::string printable(std::string_view text, std::size_t columns) {
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    const char32_t c = shown(take_character(text));
    const auto width = static_cast<std::size_t>(width_of(c));
    if (width == 0 && result.empty()) continue;  // there is nothing to combine it with
    if (used + width > columns) break;
    used += width;
    result += utf8(c);
  }
  return result;
}

std::string padded(std::string_view text, std::size_t columns) {
  std::string result = printable(text, columns);
  result.append(columns - columns_of(result), ' ');
  return result;
}

std::string printable_end(std::string_view text, std::size_t columns) {
  const std::string all = printable(text, text.size() * 2);
  std::size_t left = columns_of(all);
  if (left <= columns) return all;
  constexpr std::size_t kDots = 3;
  const std::size_t room = columns - std::min(columns, kDots);
  std::string_view rest = all;
  while (!rest.empty() && left > room)
    left -= static_cast<std::size_t>(width_of(take_character(rest)));
  return printable("..." + printable(rest, room), columns);
}

std::size_t columns_of(std::string_view printable_text) {
  std::size_t columns = 0;
  while (!printable_text.empty()) {
    columns += static_cast<std::size_t>(std::max(0, width_of(take_character(printable_text))));
  }
  return columns;
}

std::wstring wide_text(std::string_view printable_text) {
  std::wstring result;
  while (!printable_text.empty()) {
    result += static_cast<wchar_t>(take_character(printable_text));
  }
  return result;
}

}  // namespace haptic

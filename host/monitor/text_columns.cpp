#include "host/monitor/text_columns.h"

#include <wchar.h>

#include <algorithm>

#include "shared/printable.h"

namespace haptic {
namespace {

/// Takes the first character off a text that is printable.
char32_t take_shown(std::string_view& text) {
  return take_character(text).value_or(U'?');
}

std::string utf8(char32_t c) {
  const auto rest = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), rest(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), rest(6), rest(0)};
  return {static_cast<char>(0xF0 | c >> 18), rest(12), rest(6), rest(0)};
}

/// -1 for a character that this locale does not have.
int width_of(char32_t c) {
  return wcwidth(static_cast<wchar_t>(c));
}

/// The character as it is shown.
char32_t shown(char32_t c) {
  return width_of(c) >= 0 ? c : U'?';
}

}  // namespace

std::string printable(std::string_view text, std::size_t columns) {
  const std::string whole = printable(text);
  std::string_view rest = whole;
  std::string result;
  std::size_t used = 0;
  while (!rest.empty()) {
    const char32_t c = shown(take_shown(rest));
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
  const std::string all = printable(text, text.size() * 12);
  std::size_t left = columns_of(all);
  if (left <= columns) return all;
  constexpr std::size_t kDots = 3;
  const std::size_t room = columns - std::min(columns, kDots);
  std::string_view rest = all;
  while (!rest.empty() && left > room) left -= static_cast<std::size_t>(width_of(take_shown(rest)));
  return printable("..." + printable(rest, room), columns);
}

std::size_t columns_of(std::string_view printable_text) {
  std::size_t columns = 0;
  while (!printable_text.empty()) {
    columns += static_cast<std::size_t>(std::max(0, width_of(take_shown(printable_text))));
  }
  return columns;
}

std::wstring wide_text(std::string_view printable_text) {
  std::wstring result;
  while (!printable_text.empty()) {
    result += static_cast<wchar_t>(take_shown(printable_text));
  }
  return result;
}

}  // namespace haptic

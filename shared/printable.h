#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace haptic {

/// Removes the first character from a text in UTF-8 (Unicode 15, table 3-7).
/// @returns nothing for a byte that begins no well-formed character; only that byte is removed
std::optional<char32_t> take_character(std::string_view& text) noexcept;

/// Whether the character ends a line or acts on a terminal: controls (U+0000 to U+001F, U+007F to
/// U+009F) and the separators of lines and paragraphs (U+2028, U+2029).
bool is_control(char32_t character) noexcept;

/// Whether the character is shown as itself: no control, and none of the invisible marks that
/// change the direction of the text after them (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069).
bool is_printable(char32_t character) noexcept;

/// Room for the longest escape.
using EscapeBuffer = std::array<char, 12>;

/// Removes the first character from the text. @returns it as printable() shows it; an escape lies
/// in `escape`. Does not allocate.
std::string_view take_printable(std::string_view& text, EscapeBuffer& escape) noexcept;

/// A text of foreign origin as a line of a terminal, a journal or a page may contain it: names,
/// paths, marks, messages. What is not printable, and bytes that are not UTF-8, become visible
/// escapes: "\x1b", "\xff", "\u{202e}".
std::string printable(std::string_view text);

}  // namespace haptic

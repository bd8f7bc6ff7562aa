#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace haptic {

// Texts of others on a screen of fixed columns. A text is UTF-8; the result has no control
// characters and no marks of direction ('?' instead), U+FFFD for bytes that are no UTF-8, and '?'
// for characters that the locale (LC_CTYPE) does not have. A wide character has two columns, a
// combining one none.

/// The beginning of a text that fits into the columns.
std::string printable(std::string_view text, std::size_t columns);

/// The same with blanks up to the number of columns.
std::string padded(std::string_view text, std::size_t columns);

/// A text that fits into the columns, or "..." and its end.
std::string printable_end(std::string_view text, std::size_t columns);

/// Columns of a result of these functions.
std::size_t columns_of(std::string_view printable_text);

/// Its characters. Each is one or more columns of a wide screen.
std::wstring wide_text(std::string_view printable_text);

}  // namespace haptic

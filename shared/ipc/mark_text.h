#pragma once

#include <cstddef>
#include <string_view>

namespace haptic {

/// Longest text of a mark [bytes of UTF-8].
inline constexpr std::size_t kMaxMarkLength = 200;

/// Whether `text` may be the text of a mark: 1 to kMaxMarkLength bytes of well-formed UTF-8
/// (Unicode 15, table 3-7) without control characters (U+0000 to U+001F, U+007F to U+009F) and
/// without the separators of lines and paragraphs (U+2028, U+2029), so that it is one line on a
/// terminal and in the journal.
bool is_mark_text(std::string_view text);

}  // namespace haptic

#pragma once

#include <cstddef>
#include <string_view>

namespace haptic {

/// Bounds of a TOML text, which keep the parser's and its tables' use of memory and stack bounded.
/// toml++ bounds nested values only: each part of a dotted key or header is one more table inside
/// a table, and tables are destroyed recursively.
inline constexpr std::size_t kMaxTomlBytes = std::size_t{4} << 20;  ///< 100 to 200 times in memory
inline constexpr std::size_t kMaxKeyParts = 32;                     ///< of a key or header
inline constexpr std::size_t kMaxNesting = 32;                      ///< arrays and inline tables

/// Refuses a text beyond these bounds, in one pass and without a copy. Anything else that is wrong
/// with it is left to the parser.
/// @throws InputError naming `source` and the line
void demand_toml_bounds(std::string_view text, std::string_view source);

}  // namespace haptic

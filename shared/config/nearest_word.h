#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// Number of letters to insert, delete or replace to change `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance to `word`; empty if none is near enough to be a
/// typing error (distance > max(2, a third of the word)).
std::string_view nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace haptic

#pragma once

#include <cstddef>
#include <functional>

namespace haptic {

/// Calls body(begin, end) for ranges that cover 0 to `count`, each index once. The body must allow
/// ranges in any order and at the same time; what it throws is thrown here.
///
/// The library runs the ranges on TBB's threads. `haptic` links one_range.cpp instead, which calls
/// body(0, count): what it computes itself is small, and it must not need TBB
/// (docs/architecture.md, "Programs of the host").
///
/// @param grain a range is split only while it has more indices than this; > 0
void parallel_ranges(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace haptic

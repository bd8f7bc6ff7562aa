#pragma once

#include <functional>
#include <utility>

namespace haptic {

/// Told the fraction of a long computation that is done, 0 to 1. May be empty; never called in the
/// loop.
using Progress = std::function<void(double)>;

/// For a part of the computation: its 0 to 1 are `from` to `to` of `whole`.
inline Progress part_of(Progress whole, double from, double to) {
  if (!whole) return {};
  return [whole = std::move(whole), from, to](double fraction) {
    whole(from + (to - from) * fraction);
  };
}

}  // namespace haptic

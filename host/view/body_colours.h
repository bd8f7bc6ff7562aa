#pragma once

#include <array>
#include <cstddef>

namespace haptic {

/// Linear red, green, blue of the body at `index`: colour-blind-safe, one per body in order.
inline const std::array<float, 3>& body_colour(std::size_t index) {
  static constexpr std::array<std::array<float, 3>, 6> kColours = {{{0.36F, 0.57F, 0.78F},
                                                                    {0.90F, 0.56F, 0.23F},
                                                                    {0.45F, 0.70F, 0.45F},
                                                                    {0.75F, 0.45F, 0.60F},
                                                                    {0.85F, 0.78F, 0.40F},
                                                                    {0.55F, 0.55F, 0.58F}}};
  return kColours[index % kColours.size()];
}

}  // namespace haptic

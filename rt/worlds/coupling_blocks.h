#pragma once

#include "shared/state/state_layout.h"

namespace haptic {

/// The blocks of the coupling that every world with a held body has (docs/contact.md, "State
/// blocks").

inline StateBlock saturation_block() {
  return {.name = "coupling/saturation",
          .unit = "1",
          .meaning = "simulated force of the coupling over its largest value"};
}

inline StateBlock speed_block() {
  return {.name = "coupling/speed",
          .unit = "1",
          .meaning = "speed of the held body over its largest value"};
}

inline StateBlock excess_block() {
  return {.name = "coupling/excess",
          .unit = "1",
          .meaning = "what the hand feels more than the held body gets, over the latter"};
}

}  // namespace haptic

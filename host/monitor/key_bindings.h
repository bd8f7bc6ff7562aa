#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/monitor/key_reader.h"

namespace haptic {

/// Two keys that move a parameter of the world (`haptic keys`).
struct KeyBinding {
  Key less, more;         ///< towards the least and the greatest value
  std::string parameter;  ///< as of `haptic set`
  double speed;           ///< of the parameter while a key is held, > 0 [its unit/s]
};

/// Keys that end the control and cannot be bound.
constexpr bool ends_control(Key key) {
  return key == key_of('q') || key == key_of('Q');
}

/// Reads "LESS/MORE=PARAMETER" or "LESS/MORE=PARAMETER@SPEED", such as
/// "left/right=boom.target@0.5". A parameter may have several pairs of keys, of different speeds,
/// and a pair of keys several parameters.
/// @param speed of the bindings without one [unit/s]
/// @throws InputError if one is not of this form or has no speed, or a key ends the control or is
///         bound to a parameter twice
std::vector<KeyBinding> read_key_bindings(const std::vector<std::string>& texts,
                                          std::optional<double> speed);

}  // namespace haptic

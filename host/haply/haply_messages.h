#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shared/math/pose.h"

namespace haptic {

/// What the Haply Inverse Service reports of an Inverse3 and its VerseGrip, in the axes of
/// hapticd: x right, y up, z towards the user. The service's are x right, y away from the user,
/// z up; its origin is the device's base.
struct HaplyState {
  std::string device_id;            ///< of the Inverse3
  Vector3 position{0.0, 0.0, 0.0};  ///< m, from the base
  Vector3 velocity{0.0, 0.0, 0.0};  ///< m/s
  bool has_grip = false;
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};  ///< of the grip, unit
  std::uint64_t buttons = 0;                   ///< bits 0, 1, 2: a, b, c; of a wired grip bit 0
};

/// Reads a state update, or the inventory that the service sends first (WebSocket protocol of the
/// Inverse SDK 3.5: docs.haply.co/inverseSDK/service/realtime/websocket-protocol).
/// @param wanted  device_id; empty: the first Inverse3
/// @returns what is wrong with the text, naming the key; empty: `state` is complete, finite and its
///          orientation a unit quaternion. `state` is unchanged otherwise.
std::string read_haply_state(std::string_view text, std::string_view wanted, HaplyState& state);

/// The key of the force in a `set_cursor_force` command, on which Haply's pages disagree: published
/// programs send "values", the page "Control Commands" of the SDK 3.5 has "vector".
enum class HaplyForceKey : std::uint8_t { kValues, kVector };

/// The message that sets the cursor's force, which the service answers with a state update.
/// @param force N, axes of hapticd @param session  name for Haply Hub, with the first message only
std::string haply_force_message(const std::string& device_id, const Vector3& force,
                                HaplyForceKey key, std::string_view session = {});

}  // namespace haptic

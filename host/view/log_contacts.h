#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/offline/log_replay.h"
#include "host/view/evaluated_contacts.h"
#include "host/view/scene_frame.h"

namespace haptic {

/// Computes contact points and their forces at rows of a log, which contains only the sum.
///
/// Of a kind of world with a ContactProbe they are evaluated again with the scene's models at the
/// poses and coordinates of the row: without friction, damping and parameters that were changed
/// during the run. Of one with PressingContacts, whose contacts follow from its past, the log is
/// replayed from its beginning, and the points are those of the world in that cycle.
class LogContacts {
 public:
  /// Does not throw for a scene that cannot be read: missing() then says why.
  /// @param log  outlives this
  explicit LogContacts(const LogReader& log);

  /// Why frames have no points from now on; empty while they have.
  const std::string& missing() const { return missing_; }

  /// @param frame  of the row. A row before that of the last call begins the replay anew.
  std::vector<FrameContact> at(const SceneFrame& frame, std::uint64_t row);

  /// Replays towards a row for about this time, if this kind of world needs a replay.
  /// @returns rows that are still to be replayed before at() has nothing more to do
  std::uint64_t approach(std::uint64_t row, std::chrono::steady_clock::duration at_most);

 private:
  bool can_replay(std::uint64_t row);
  bool step();

  const LogReader& log_;
  std::optional<EvaluatedContacts> evaluated_;  // one of the two, or none
  std::unique_ptr<LogReplay> replay_;
  Vector3 replayed_force_ = Vector3::Zero();  // on the held body in the last row replayed [N]
  std::string missing_;
};

}  // namespace haptic

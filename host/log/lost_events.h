#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// Events that are missing in a sequence of events.
struct LostEvents {
  std::uint64_t overwritten = 0;  ///< holes in the numbers: overwritten before they were recorded
  std::uint64_t left_out = 0;     ///< commands beyond the quota of events (EventKind::kLeftOut)

  /// Call it with each event in turn.
  void note(const EventRecord& event);
  /// "3 events lost, 1200 commands beyond the quota of events"; empty if there are none.
  std::string text() const;

 private:
  std::uint64_t next_ = 0;
  bool has_begun_ = false;
};

LostEvents lost_events(const std::vector<EventRecord>& events);

}  // namespace haptic

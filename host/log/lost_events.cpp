#include "host/log/lost_events.h"

#include <fmt/format.h>

namespace haptic {

void LostEvents::note(const EventRecord& event) {
  if (has_begun_ && event.number > next_) overwritten += event.number - next_;
  if (event.kind == EventKind::kLeftOut && event.value >= 0.0 && event.value < 1e15) {
    left_out += static_cast<std::uint64_t>(event.value);
  }
  next_ = event.number + 1;
  has_begun_ = true;
}

std::string LostEvents::text() const {
  std::string text;
  if (overwritten > 0) {
    text = fmt::format("{} {} lost", overwritten, overwritten == 1 ? "event" : "events");
  }
  if (left_out > 0) {
    text += fmt::format("{}{} {} beyond the quota of events", text.empty() ? "" : ", ", left_out,
                        left_out == 1 ? "command" : "commands");
  }
  return text;
}

LostEvents lost_events(const std::vector<EventRecord>& events) {
  LostEvents lost;
  for (const EventRecord& event : events) lost.note(event);
  return lost;
}

}  // namespace haptic

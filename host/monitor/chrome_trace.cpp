#include "host/monitor/chrome_trace.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/files/json_text.h"
#include "shared/ipc/event_text.h"
#include "shared/math/length.h"

namespace haptic {
namespace {

enum Track { kServo = 1, kWakeUp = 2 };

class Events {
 public:
  Events(std::int64_t start_ns, std::int64_t pid) : start_ns_(start_ns), pid_(pid) {}

  void name_track(Track track, std::string_view label) {
    add({{"name", "thread_name"}, {"ph", "M"}, {"tid", track}, {"args", {{"name", label}}}});
  }
  void stretch(std::string_view label, Track track, std::int64_t begin_ns, std::int64_t length_ns,
               nlohmann::json arguments = nlohmann::json::object()) {
    if (length_ns <= 0) return;
    add({{"name", label},
         {"ph", "X"},
         {"tid", track},
         {"ts", microseconds(begin_ns)},
         {"dur", static_cast<double>(length_ns) * 1e-3},
         {"args", std::move(arguments)}});
  }
  void counter(std::string_view label, std::int64_t at_ns, double value) {
    if (!std::isfinite(value)) return;
    add({{"name", label}, {"ph", "C"}, {"ts", microseconds(at_ns)}, {"args", {{"value", value}}}});
  }
  void mark(const std::string& label, std::int64_t at_ns) {
    add({{"name", label}, {"ph", "i"}, {"s", "p"}, {"tid", kServo}, {"ts", microseconds(at_ns)}});
  }
  nlohmann::json take() { return std::move(events_); }

 private:
  void add(nlohmann::json event) {
    event["pid"] = pid_;
    events_.push_back(std::move(event));
  }
  double microseconds(std::int64_t ns) const { return static_cast<double>(ns - start_ns_) * 1e-3; }

  std::int64_t start_ns_, pid_;
  nlohmann::json events_ = nlohmann::json::array();
};

void add_cycle(Events& events, const SampleRecord& r, std::int64_t publish_ns) {
  // `total` includes the publishing of the cycle before; the remainder belongs to the world.
  const std::int64_t world_ns = r.total_ns - r.sense_ns - r.feel_ns - r.publish_ns;
  const std::int64_t felt_ns = r.time_ns + r.sense_ns + world_ns;
  events.stretch("wake-up", kWakeUp, r.time_ns - r.wake_ns, r.wake_ns);
  events.stretch("cycle", kServo, r.time_ns, r.sense_ns + world_ns + r.feel_ns + publish_ns,
                 {{"cycle", r.cycle},
                  {"state", name(r.state)},
                  {"fault", name(r.fault)},
                  {"limited", r.limited}});
  events.stretch("sense", kServo, r.time_ns, r.sense_ns);
  if (r.world_step == r.cycle + 1) {
    std::int64_t at = r.time_ns + r.sense_ns;
    for (const auto& [stage, length] :
         {std::pair{"couple", r.couple_ns}, {"touch", r.touch_ns}, {"move", r.move_ns}}) {
      events.stretch(stage, kServo, at, length);
      at += length;
    }
  } else {
    events.stretch("couple", kServo, r.time_ns + r.sense_ns, world_ns);
  }
  events.stretch("feel", kServo, felt_ns, r.feel_ns);
  events.stretch("publish", kServo, felt_ns + r.feel_ns, publish_ns);
  const double* f = r.device_wrench.force_N;
  events.counter("force [N]", r.time_ns, length(f[0], f[1], f[2]));
}

}  // namespace

std::string chrome_trace(const TelemetryHeader& header, const StateLayout& state,
                         const std::vector<TelemetrySample>& samples,
                         const std::vector<EventRecord>& happened, const Progress& progress) {
  Events events(header.start_monotonic_ns, header.daemon_pid);
  events.name_track(kServo, "servo");
  events.name_track(kWakeUp, "wake-up");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (progress) progress(static_cast<double>(i) / static_cast<double>(samples.size()));
    const SampleRecord& r = samples[i].record;
    const SampleRecord* next = i + 1 < samples.size() ? &samples[i + 1].record : nullptr;
    const bool follows = next != nullptr && next->cycle == r.cycle + 1;
    add_cycle(events, r, follows ? next->publish_ns : 0);
    for (std::size_t b = 0; b < state.blocks().size(); ++b) {
      const StateBlock& block = state.blocks()[b];
      if (!block.is_number()) continue;
      const double value = state.values(b, std::span(samples[i].state))[0];
      events.counter(axis_label(block.name, block.unit), r.time_ns, value);
    }
    if (i == 0) continue;
    const SampleRecord& last = samples[i - 1].record;
    if (r.missed != last.missed) {
      events.mark(fmt::format("{} slots missed", r.missed - last.missed), r.time_ns);
    }
    if (r.cycle != last.cycle + 1) {
      events.mark(fmt::format("{} cycles lost here", r.cycle - last.cycle - 1), r.time_ns);
    }
    if (r.state != last.state) events.mark(std::string(name(r.state)), r.time_ns);
    if (r.fault != last.fault && r.fault != FaultKind::kNone) {
      events.mark(fmt::format("fault {}", name(r.fault)), r.time_ns);
    }
  }
  for (const EventRecord& event : happened) {
    const bool shown_already = event.kind == EventKind::kFault;  // by its cycle
    if (shown_already || samples.empty() || event.time_ns < samples.front().record.time_ns ||
        event.cycle > samples.back().record.cycle) {
      continue;
    }
    events.mark(event_text(event), event.time_ns);
  }
  const nlohmann::json trace{{"traceEvents", events.take()}, {"displayTimeUnit", "ns"}};
  return json_text(trace) + "\n";
}

}  // namespace haptic

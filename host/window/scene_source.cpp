#include "host/window/scene_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/view/log_frame.h"
#include "shared/error.h"

namespace haptic {

SceneSource::SceneSource(const std::filesystem::path& scene, std::optional<double> at_s)
    : scene_(std::filesystem::absolute(scene).lexically_normal()),
      run_(scene),
      catch_up_s_(at_s.value_or(0.0)) {
  if (catch_up_s_ > run_.end_s()) {
    throw InputError("--at", "", fmt::format("found {} s", catch_up_s_),
                     fmt::format("at most {} s", run_.end_s()));
  }
  timeline_.simulates = true;
}

/// Moves the position of the bar, and the run with it.
void SceneSource::advance(double elapsed_s) {
  Timeline& t = timeline_;
  SceneRun::Span kept = run_.span();
  if (t.steps != 0) {
    if (t.steps > 0 && t.now_s >= kept.last_s) {
      run_.step();
      t.now_s = run_.span().last_s;
    } else {
      t.now_s = run_.at(t.now_s, t.steps).time_s;
    }
    t.steps = 0;
  } else if (t.playing && kept.last_s < catch_up_s_ && !kept.ended) {
    run_.run_to(catch_up_s_);
    t.now_s = kept.last_s;
  } else if (t.playing && kept.ended && t.now_s >= kept.last_s) {
    if (was_playing_) {
      t.playing = false;
    } else {
      t.now_s = kept.first_s;  // once more what is kept
    }
  } else if (t.playing && t.unlimited && t.now_s >= kept.last_s) {
    run_.run_to(std::numeric_limits<double>::infinity());
    t.now_s = std::numeric_limits<double>::infinity();
  } else if (t.playing) {
    const double wanted = t.now_s + t.speed * elapsed_s;
    if (wanted > kept.last_s) run_.run_to(wanted);
    t.now_s = wanted;
  }
  if (!t.playing) run_.run_to(0.0);  // halts
  was_playing_ = t.playing;
  kept = run_.span();
  t.first_s = kept.first_s;
  t.last_s = kept.last_s;
  t.now_s = std::clamp(t.now_s, t.first_s, t.last_s);
}

bool SceneSource::read(Moment& moment, double elapsed_s) {
  advance(elapsed_s);
  message_ = run_.message();
  RunMoment now = run_.at(timeline_.now_s);
  moment.frame = frame_of(run_.bodies(), run_.layout(), now.record, now.state, now.display);
  moment.record = now.record;
  moment.time_s = now.time_s;
  moment.numbers = numbers_of(run_.layout(), now.state);
  moment.warnings = find_warnings(now.warnings, run_.rate_hz());
  contacts_ = std::move(now.contacts);
  return true;
}

std::optional<ReportedContacts> SceneSource::contacts() {
  if (!run_.tells_contacts()) return {};
  ReportedContacts told;
  for (const PressingContact& contact : contacts_) {
    told.points.push_back({contact.position, contact.force, contact.depth});
  }
  return told;
}

}  // namespace haptic

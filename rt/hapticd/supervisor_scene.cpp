// The supervisor's part in a scene change: who requested it, who gets the answer, and which
// telemetry is read afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "rt/hapticd/supervisor.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr auto kReadyAgain = "READY=1";

void notify_reload() {
  message::notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_ns() / 1000));
}

}  // namespace

void Supervisor::load(const std::filesystem::path& path, const Request* requester) {
  if (stopping_ || !change_.idle()) {
    if (requester != nullptr) {
      refuse(*requester, stopping_ ? CommandAnswer::kShuttingDown : CommandAnswer::kBusy);
    } else {
      reload_again_ = true;  // the file may have changed since it was read
    }
    return;
  }
  if (requester != nullptr) loading_ = *requester;
  notify_reload();
  change_.begin(path);
}

void Supervisor::watch_change() {
  const bool sets = pending_ && pending_->command.kind == CommandKind::kSet;
  const bool quiet = !sets && fault_ns_ == 0 && !record_.valid();
  switch (change_.advance(quiet)) {
    case SceneChange::Event::kNone:
      return;
    case SceneChange::Event::kRefused:
      message::say(Priority::kWarning, "scene refused: {}; {} keeps running", change_.what(),
                   scene_->scene().file.string());
      answer_load(change_.bad_input() ? CommandAnswer::kSceneRefused : CommandAnswer::kSceneFailed,
                  change_.what());
      message::notify(kReadyAgain);
      break;
    case SceneChange::Event::kTaken:
      follow_change();
      message::say(Priority::kInfo, "\"{}\" runs {} in place of {}", options_.name,
                   scene_->scene().file.string(), change_.left().scene().file.string());
      change_.retire();
      return;
    case SceneChange::Event::kDone:
      answer_load(CommandAnswer::kApplied, "");
      message::notify(kReadyAgain);
      break;
  }
  if (std::exchange(reload_again_, false)) load(options_.scene, nullptr);
}

// The cycle publishes into the next telemetry by now; no reader has opened it yet.
void Supervisor::follow_change() {
  TelemetryWriter& left = change_.left().telemetry();
  TelemetryWriter& next = scene_->telemetry();
  Counters& counters = next.statistics().counters;
  const Counters& before = left.statistics().counters;
  store_word(counters.commands_applied, load_word(before.commands_applied));
  store_word(counters.commands_refused, load_word(before.commands_refused));
  store_word(counters.black_boxes, load_word(before.black_boxes));
  next.continue_events(left);
  next.set_holder(holder_);
  record_scene();
  reported_warnings_.reset();
  // A fault just before the change: its cycles are in the old ring.
  watch_faults();
  if (fault_ns_ != 0) {
    fault_ns_ = 0;
    begin_record(change_.left());
  }
  try {
    next.take_over(left);
    TelemetryReader reader = own_telemetry();
    reader_.emplace(std::move(reader));
  } catch (const std::exception& error) {
    message::say(Priority::kError, "the new scene's telemetry is not available: {}", error.what());
  }
}

void Supervisor::record_scene() {
  EventRecord event{};
  event.time_ns = monotonic_ns();
  event.kind = EventKind::kScene;
  event.cycle = newest_cycle();
  const std::string_view path = scene_->telemetry().header().scene_path;
  std::ranges::copy(path, event.text);  // shorter than its field there
  scene_->telemetry().publish_event(event);
}

void Supervisor::answer_load(CommandAnswer why, const std::string& text) {
  if (!loading_) return;
  const Request requester = *loading_;
  loading_.reset();
  this->answer(requester, reply_now(why, text));
}

}  // namespace haptic

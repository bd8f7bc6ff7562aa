// The supervisor's part in a change of the scene: who asked, who is told, what it reads from now
// on.
#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <cstdio>
#include <ctime>
#include <utility>

#include "rt/hapticd/supervisor.h"

namespace haptic {
namespace {

constexpr auto kReadyAgain = "READY=1";

void notify_reload() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
             static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000);
}

/// What fits of a line; the whole of it stands in the journal.
void copy_line(char (&text)[CommandReply::kTextLength], const std::string& line) {
  constexpr std::size_t kRoom = CommandReply::kTextLength - 1;
  const std::string shown = line.size() <= kRoom ? line : line.substr(0, kRoom - 3) + "...";
  shown.copy(text, shown.size());
}

}  // namespace

void Supervisor::load(const std::filesystem::path& path, const CommandServer::Request* requester) {
  if (stopping_ || !change_.idle()) {
    if (requester != nullptr) {
      refuse(*requester, stopping_ ? CommandAnswer::kShuttingDown : CommandAnswer::kBusy);
    } else {
      reload_again_ = true;  // the file may have changed since it was read
    }
    return;
  }
  if (requester != nullptr) {
    mailbox_.hold(*requester);
    loading_ = *requester;
  }
  notify_reload();
  change_.begin(path);
}

void Supervisor::watch_change() {
  const bool sets = pending_ && pending_->command.kind == CommandKind::kSet;
  const bool quiet = !sets && polls_since_fault_ == 0 && !record_.valid();
  switch (change_.advance(quiet)) {
    case SceneChange::Event::kNone:
      return;
    case SceneChange::Event::kRefused:
      fmt::print(stderr, "hapticd: scene refused: {}; {} goes on\n", change_.what(),
                 scene_->scene().file.string());
      answer_load(change_.bad_input() ? CommandAnswer::kSceneRefused : CommandAnswer::kSceneFailed,
                  change_.what());
      sd_notify(0, kReadyAgain);
      break;
    case SceneChange::Event::kTaken:
      follow_change();
      fmt::print(stderr, "hapticd: \"{}\" runs {} in place of {}\n", options_.name,
                 scene_->scene().file.string(), change_.left().scene().file.string());
      change_.retire();
      return;
    case SceneChange::Event::kDone:
      answer_load(CommandAnswer::kApplied, "");
      sd_notify(0, kReadyAgain);
      break;
  }
  if (std::exchange(reload_again_, false)) load(options_.scene, nullptr);
}

// The cycle publishes into the next telemetry by now; nobody else looks there yet.
void Supervisor::follow_change() {
  TelemetryWriter& left = change_.left().telemetry();
  TelemetryWriter& next = scene_->telemetry();
  Counters& counters = next.statistics().counters;
  const Counters& before = left.statistics().counters;
  store_word(counters.commands_applied, load_word(before.commands_applied));
  store_word(counters.commands_refused, load_word(before.commands_refused));
  store_word(counters.black_boxes, load_word(before.black_boxes));
  // A fault of the last moments: its seconds are in the old ring.
  watch_faults();
  if (polls_since_fault_ > 0) {
    polls_since_fault_ = 0;
    begin_record();
  }
  try {
    next.take_over(left);
    reader_.emplace(options_.name);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hapticd: the new scene's telemetry cannot be seen: {}\n", error.what());
  }
}

void Supervisor::answer_load(CommandAnswer answer, const std::string& text) {
  if (!loading_) return;
  CommandReply reply = reply_now(answer);
  copy_line(reply.text, text);
  mailbox_.answer(*loading_, reply);
  loading_.reset();
  Counters& counters = scene_->telemetry().statistics().counters;
  add_word(
      answer == CommandAnswer::kApplied ? counters.commands_applied : counters.commands_refused, 1);
}

}  // namespace haptic

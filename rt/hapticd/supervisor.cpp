#include "rt/hapticd/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "rt/hapticd/mailbox_guard.h"
#include "rt/servo/black_box.h"
#include "rt/servo/call_filter.h"
#include "rt/servo/loop_watch.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr long kPollNs = 5'000'000;
constexpr int kPollsPerNotice = 100;  // 0.5 s between two looks at the loop's progress
constexpr int kPollsAfterFault = 40;  // 0.2 s of aftermath belong into the record
constexpr std::chrono::milliseconds kRecordPatience{2000};  // of a daemon that stops
constexpr int kMostBlackBoxes = 16;  // a fault that returns at once must not fill the disk
constexpr int kPollsPerGuard = 2;    // 10 ms between two looks at the guard
constexpr int kPollsToStop = 100;    // a cycle is milliseconds; longer than 0.5 s is a hang

sigset_t heard_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// Sleeps one poll or until a signal. @returns the signal, or 0
int wait_for_signal() {
  const sigset_t set = heard_signals();
  const timespec timeout{0, kPollNs};
  return std::max(sigtimedwait(&set, nullptr, &timeout), 0);
}

bool has_terminal() {
  const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) close(terminal);
  return terminal >= 0;
}

}  // namespace

void Supervisor::block_signals() {
  const sigset_t set = heard_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Supervisor::Supervisor(const Options& options, const Device& device, Clock& clock,
                       HapticCycle& cycle, ServoLoop& loop, CommandChannel& channel,
                       std::unique_ptr<RunningScene>& scene)
    : options_(options),
      cycle_(cycle),
      loop_(loop),
      channel_(channel),
      scene_(scene),
      change_(options, device, clock, cycle, scene),
      mailbox_(options.name, scene->telemetry().header().instance),
      reader_(options.name),
      hangup_stops_(has_terminal()) {
  guard_mailbox(&mailbox_.mailbox(), sizeof(Mailbox));
  polls_since_guard_ = kPollsPerGuard;
  watch_guard();
}

bool Supervisor::run() {
  sd_notify(0, "READY=1");
  while (!loop_.done()) {
    const int signal = wait_for_signal();
    if (signal == SIGHUP && !hangup_stops_) {
      load(options_.scene, nullptr);
    } else if (signal != 0) {
      break;
    }
    serve_commands();
    watch_faults();
    watch_change();
    watch_guard();
    notify_systemd();
  }
  sd_notify(0, "STOPPING=1");
  stopping_ = true;
  loop_.stop();
  for (int polls = 0; !loop_.done(); ++polls) {
    if (polls > kPollsToStop) return false;
    serve_commands();
    wait_for_signal();
  }
  serve_commands();
  answer_load(CommandAnswer::kShuttingDown, "");
  if (polls_since_fault_ > 0) {  // a fault whose record was still being awaited
    collect_record(kRecordPatience);
    polls_since_fault_ = kPollsAfterFault;
    watch_faults();
  }
  collect_record(kRecordPatience);
  return true;
}

void Supervisor::serve_commands() {
  Counters& counters = scene_->telemetry().statistics().counters;
  if (pending_) {
    CommandReply reply{};
    if (!channel_.collect(reply)) {
      if (!loop_.done()) return;
      reply.answer = CommandAnswer::kShuttingDown;
    }
    if (reply.answer == CommandAnswer::kApplied)
      add_word(counters.commands_applied, 1);
    else
      add_word(counters.commands_refused, 1);
    mailbox_.answer(*pending_, reply);
    pending_.reset();
  }
  // Bounded: a flood of refused commands must not keep us from signals and watchdog.
  for (std::size_t served = 0; served < kMailboxSlots && !pending_; ++served) {
    const auto request = mailbox_.poll();
    if (!request) break;
    if (request->command.kind == CommandKind::kLoad) {
      load(request->command.path, &*request);
      continue;
    }
    const auto command = resolve(*request);
    if (!command) continue;
    if (stopping_ || !channel_.post(*command))
      refuse(*request, CommandAnswer::kShuttingDown);
    else
      pending_ = request;
  }
  store_word(counters.mailbox_garbage, mailbox_.garbage());
}

std::optional<ServoCommand> Supervisor::resolve(const CommandServer::Request& request) {
  const Command& command = request.command;
  if (command.kind != CommandKind::kSet) return ServoCommand{command.kind, 0, 0.0};
  if (change_.handing_over()) {  // whose parameter would it be?
    refuse(request, CommandAnswer::kBusy);
    return std::nullopt;
  }
  const auto index = scene_->parameters().find(command.key);
  if (!index) {
    refuse(request, CommandAnswer::kUnknownKey);
    return std::nullopt;
  }
  const World::Parameter& parameter = scene_->parameters().entries()[*index];
  if (!(command.value >= parameter.minimum && command.value <= parameter.maximum)) {
    refuse(request, CommandAnswer::kOutOfRange, parameter.minimum, parameter.maximum);
    return std::nullopt;
  }
  return ServoCommand{CommandKind::kSet, *index, command.value};
}

void Supervisor::refuse(const CommandServer::Request& request, CommandAnswer answer, double minimum,
                        double maximum) {
  CommandReply reply = reply_now(answer);
  reply.minimum = minimum;
  reply.maximum = maximum;
  mailbox_.answer(request, reply);
  add_word(scene_->telemetry().statistics().counters.commands_refused, 1);
}

CommandReply Supervisor::reply_now(CommandAnswer answer) const {
  TelemetrySnapshot now;
  CommandReply reply{answer, ServoState::kStarting, FaultKind::kNone, 0, 0.0, 0.0};
  if (reader_->snapshot(now)) {
    reply.state = now.record.state;
    reply.fault = now.record.fault;
  }
  return reply;
}

void Supervisor::watch_faults() {
  TelemetrySnapshot now;
  if (!reader_->snapshot(now)) return;
  const FaultKind fault = now.record.fault;
  if (fault != FaultKind::kNone && fault_seen_ == FaultKind::kNone) {
    fmt::print(stderr, "hapticd: fault {}: output is zero until an operator resets\n", name(fault));
    if (fault == FaultKind::kForbiddenCall) {
      fmt::print(stderr, "hapticd: a loop made {} and was refused\n",
                 call_name(LoopWatch::forbidden_call()));
    }
    polls_since_fault_ = 1;
  } else if (polls_since_fault_ > 0) {
    ++polls_since_fault_;
  }
  fault_seen_ = fault;
  collect_record(std::chrono::seconds(0));
  if (polls_since_fault_ <= kPollsAfterFault || record_.valid()) return;
  polls_since_fault_ = 0;
  begin_record();
}

void Supervisor::begin_record() {
  if (black_boxes_ >= kMostBlackBoxes) return;
  // In a thread of its own: a slow disk must keep nobody from commands, signals and watchdog.
  record_ =
      std::async(std::launch::async, [this, telemetry = TelemetryReader(options_.name)]() mutable {
        return write_black_box(options_.black_box, options_.name, telemetry);
      });
}

void Supervisor::collect_record(std::chrono::milliseconds patience) {
  if (!record_.valid() || record_.wait_for(patience) != std::future_status::ready) return;
  try {
    const std::filesystem::path path = record_.get();
    ++black_boxes_;
    store_word(scene_->telemetry().statistics().counters.black_boxes,
               static_cast<std::uint64_t>(black_boxes_));
    fmt::print(stderr, "hapticd: the last seconds are in {}\n", path.string());
  } catch (const std::exception& error) {
    fmt::print(stderr, "hapticd: no fault record: {}\n", error.what());
  }
}

// A guard that was there and is gone leaves the outputs to us alone: nobody would make them safe
// after our death. One that never was there is the operator's choice, told in `grants`.
void Supervisor::watch_guard() {
  if (++polls_since_guard_ < kPollsPerGuard) return;
  polls_since_guard_ = 0;
  const bool lives = instance_lives(segment_name(options_.name, "guard"));
  if (guarded_ && !lives) cycle_.report(FaultKind::kGuardLost);
  if (guarded_ != lives) {
    const std::uint32_t grants = scene_->telemetry().header().grants;
    scene_->telemetry().set_grants(lives ? grants | kGrantGuarded : grants & ~kGrantGuarded);
  }
  guarded_ = lives;
}

// The watchdog is fed only while the loop makes progress: a hung loop lets systemd kill us.
void Supervisor::notify_systemd() {
  if (++polls_since_notice_ < kPollsPerNotice) return;
  polls_since_notice_ = 0;
  const Counters counters = reader_->statistics().counters;
  if (counters.cycles == cycles_at_notice_) return;
  cycles_at_notice_ = counters.cycles;
  TelemetrySnapshot now;
  if (!reader_->snapshot(now)) return;
  sd_notifyf(0, "WATCHDOG=1\nSTATUS=%s, %llu cycles, %llu missed",
             std::string(name(now.record.state)).c_str(),
             static_cast<unsigned long long>(counters.cycles),
             static_cast<unsigned long long>(counters.missed));
}

}  // namespace haptic

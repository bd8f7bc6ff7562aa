#include "rt/hapticd/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <system_error>
#include <thread>

#include "rt/servo/black_box.h"
#include "rt/servo/call_filter.h"
#include "rt/servo/loop_watch.h"
#include "rt/session/realtime_setup.h"
#include "rt/session/scene_session.h"
#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/memory/memory_reason.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kTurnNs = 5 * kMs;              // longest sleep
constexpr std::int64_t kTurnWhilePendingNs = kMs / 4;  // the loop is about to answer
constexpr std::int64_t kNoticeNs = 500 * kMs;          // between two checks of the loop's progress
constexpr std::int64_t kCheckNs = 1000 * kMs;          // between two checks of files and scheduling
constexpr std::int64_t kAftermathNs = 200 * kMs;       // included in a fault's record
constexpr std::int64_t kStopNs =
    1000 * kMs;  // twice the longest controlled stop; after that it hangs
constexpr std::chrono::milliseconds kRecordPatience{2000};  // for a record when the daemon stops
constexpr int kStopPolls = 500;  // a millisecond each, before the machine sleeps

// Every signal that would end the process and is none of the kernel's about a fault of its code.
sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM,
                           SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT}) {
    sigaddset(&set, signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&set, signal);
  return set;
}

int open_signals() {
  const sigset_t set = handled_signals();
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool has_terminal() {
  const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) close(terminal);
  return terminal >= 0;
}

}  // namespace

void Supervisor::block_signals() {
  const sigset_t set = handled_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void Supervisor::unblock_signals() {
  const sigset_t set = handled_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

Supervisor::Supervisor(const Options& options, Device& device, std::uint64_t device_identity,
                       Clock& clock, HapticCycle& cycle, ServoLoop& loop, CommandChannel& channel,
                       std::unique_ptr<RunningScene>& scene, RunFiles files)
    : options_(options),
      real_device_(device.capabilities().has_motors),
      cycle_(cycle),
      loop_(loop),
      channel_(channel),
      scene_(scene),
      files_(files),
      change_(options, device, clock, cycle, scene),
      server_(options.name, scene->telemetry().header().instance),
      stops_(options.name, channel),
      guard_(options.name, device_identity,
             std::chrono::nanoseconds(std::llround(options.guard_patience_s * 1e9))),
      signals_(open_signals()),
      reader_(own_telemetry()),
      hangup_stops_(has_terminal()),
      home_wanted_(options.home),
      manifest_text_(scene->telemetry().session().manifest_text) {
  if (real_device_) {
    awake_.emplace([&channel] {
      const std::uint64_t ticket = channel.request_stop();
      for (int look = 0; look < kStopPolls && !channel.stop_served(ticket); ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  watch_guard();
}

Supervisor::~Supervisor() {
  close(signals_);
}

// Sleeps for one turn, or until an event. @returns a signal, or 0
int Supervisor::wait() {
  const bool soon = pending_ || !stop_requests_.empty();
  server_.wait(signals_, soon ? kTurnWhilePendingNs : kTurnNs);
  signalfd_siginfo info{};
  const bool came = read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
  return came ? static_cast<int>(info.ssi_signo) : 0;
}

bool Supervisor::run() {
  message::notify("READY=1");
  while (!loop_.done() && is_reachable_) {
    const int signal = wait();
    loop_.check_supervisor();
    const std::uint64_t instance = scene_->telemetry().header().instance;
    const std::uint64_t published = reader_->published();
    if (signal == SIGHUP && !hangup_stops_) {
      load(options_.scene, nullptr);
    } else if (signal != 0) {
      const char* const known = sigabbrev_np(signal);
      message::say(Priority::kInfo, "stops: signal {}", known != nullptr ? known : "RT");
      break;
    }
    serve_commands();
    home_at_start();
    watch_faults();
    watch_change();
    // What the loop replied before it published these samples has been collected by now.
    if (scene_->telemetry().header().instance == instance) {
      scene_->telemetry().settle_events(published);
    }
    watch_guard();
    if (const std::int64_t now = monotonic_ns(); now - checked_ns_ >= kCheckNs) {
      checked_ns_ = now;
      watch_run_files();
      watch_scheduling();
    }
    report_left_out();
    notify_systemd();
  }
  message::notify("STOPPING=1");
  stopping_ = true;
  loop_.stop();
  for (const std::int64_t since = monotonic_ns(); !loop_.done();) {
    if (monotonic_ns() - since > kStopNs) return false;
    serve_commands();
    static_cast<void>(wait());
    loop_.check_supervisor();
  }
  serve_commands();
  answer_load(CommandAnswer::kShuttingDown, "");
  if (fault_ns_ != 0) {  // a fault whose record is not written yet
    collect_record(kRecordPatience);
    fault_ns_ = 1;
    watch_faults();
  }
  collect_record(kRecordPatience);
  report_left_out(true);
  return true;
}

void Supervisor::watch_faults() {
  TelemetrySample now;
  if (!reader_->newest(now)) return;
  if (awake_)
    awake_->hold(now.record.state == ServoState::kEngaged ||
                 now.record.state == ServoState::kStopping);
  const FaultKind fault = now.record.fault;
  if (fault != FaultKind::kNone && fault_seen_ == FaultKind::kNone) {
    told_faults_.say(Priority::kError, "fault {}: output is zero until an operator resets",
                     describe_fault(fault, scene_->world(), cycle_.failed_body()));
    if (fault == FaultKind::kForbiddenCall) {
      message::say(Priority::kError, "a loop made a forbidden call: {}",
                   call_name(LoopWatch::forbidden_call()));
    }
    record_fault(now.record);
    fault_ns_ = monotonic_ns();
  }
  fault_seen_ = fault;
  collect_record(std::chrono::seconds(0));
  if (fault_ns_ == 0 || monotonic_ns() - fault_ns_ < kAftermathNs || record_.valid()) return;
  fault_ns_ = 0;
  begin_record(*scene_);
}

void Supervisor::record_fault(const SampleRecord& sample) {
  EventRecord event{};
  event.time_ns = monotonic_ns();
  event.cycle = sample.cycle;
  event.kind = EventKind::kFault;
  event.fault = sample.fault;
  if (event.fault == FaultKind::kGuardLost) {
    guard_lost_.copy(event.text, sizeof event.text - 1);
  }
  scene_->telemetry().publish_event(event);
}

// By its path, not by the search that tools use: this user may run another daemon of the same name.
TelemetryReader Supervisor::own_telemetry() const {
  return {options_.name, own_run_file(options_.name, "telemetry")};
}

void Supervisor::begin_record(const RunningScene& scene) {
  if (!record_budget_.take(monotonic_ns())) {
    told_no_record_.say(Priority::kWarning, "no fault record: {} at once, then one a minute",
                        RecordBudget::kMax);
    return;
  }
  // In a separate thread: a slow disk must not delay commands, signals and the watchdog.
  try {
    const BlackBoxTexts texts{scene.scene().text, manifest_text_};
    record_ = std::async(std::launch::async, [this, texts, telemetry = own_telemetry()]() mutable {
      return write_black_box(options_.black_box, options_.name, telemetry, texts);
    });
  } catch (const std::system_error& error) {
    message::say(Priority::kError, "no fault record was written: no thread can be started: {}",
                 memory_reason(error.code().value()));
  } catch (const std::exception& error) {
    message::say(Priority::kError, "no fault record was written: {}", error.what());
  }
}

void Supervisor::collect_record(std::chrono::milliseconds patience) {
  if (!record_.valid() || record_.wait_for(patience) != std::future_status::ready) return;
  try {
    const std::filesystem::path path = record_.get();
    ++black_boxes_;
    store_word(scene_->telemetry().statistics().counters.black_boxes,
               static_cast<std::uint64_t>(black_boxes_));
    message::say(Priority::kInfo, "the last seconds were written to {}", path.string());
  } catch (const std::exception& error) {
    message::say(Priority::kError, "no fault record was written: {}", error.what());
  }
}

// If the guard has exited, no longer beats or no longer reaches the outputs, no process would make
// them safe after the death of the daemon.
void Supervisor::watch_guard() {
  const GuardWatch::Verdict verdict = guard_.look(std::chrono::nanoseconds(monotonic_ns()));
  const bool guarded = verdict == GuardWatch::Verdict::kGuarded;
  if (guarded_ && !guarded) {
    cycle_.report(FaultKind::kGuardLost);
    guard_lost_ = guard_.words();
    message::say(Priority::kWarning, "no longer guarded: {}", guard_lost_);
  }
  if (guarded && !guarded_) {
    message::say(Priority::kInfo, "guarded by process {}: {}", guard_.pid(), guard_.words());
  }
  std::uint32_t grants = scene_->telemetry().header().grants & ~kGrantGuarded;
  if (guarded) grants |= kGrantGuarded;
  if (options_.unguarded) grants |= kGrantMayGoUnguarded;
  if (grants != scene_->telemetry().header().grants) scene_->telemetry().set_grants(grants);
  if (verdict == GuardWatch::Verdict::kOtherDevice && !told_unguarded_) {
    message::say(Priority::kWarning,
                 "the guard of \"{}\" can make another device safe, not this one", options_.name);
    told_unguarded_ = true;
  }
  guarded_ = guarded;
}

// The run folder of a login session is removed when the session ends. Sockets and locks are made
// again. Segments cannot be: the loop has mapped them.
void Supervisor::watch_run_files() {
  try {
    for (InstanceLock& lock : files_.locks) lock.keep();
    const auto expect_readable = [](const char* what, bool can_be_read) {
      if (can_be_read) return;
      throw OperationError(fmt::format(
          "the {} was removed, cut or closed to its readers, or its folder is open to others",
          what));
    };
    expect_readable("telemetry", scene_->telemetry().can_be_read());
    expect_readable("pulse", files_.pulse.can_be_read());
    if (server_.keep_name()) {
      message::say(Priority::kWarning,
                   "the socket for commands was removed or closed; it was made again");
    }
    if (!stops_.is_reachable()) throw OperationError("the socket for stops was removed");
  } catch (const std::exception& error) {
    message::say(Priority::kError,
                 "run folder: {}; the daemon stops, because operators cannot reach it any more",
                 error.what());
    is_reachable_ = false;
  }
}

void Supervisor::watch_scheduling_of(pid_t thread, int cpu, std::uint32_t grants) {
  loop_thread_ = thread;
  loop_cpu_ = cpu;
  watched_grants_ = grants & (kGrantFifo | kGrantPinned);
}

// Another process may change the scheduling class and the CPUs of the loop (chrt, taskset).
void Supervisor::watch_scheduling() {
  const std::uint32_t before = scene_->telemetry().header().grants;
  const std::uint32_t now = scheduling_grants(loop_thread_, loop_cpu_) & watched_grants_;
  if (loop_.done()) return;  // its thread may have ended before it was asked
  const std::uint32_t lost = before & watched_grants_ & ~now;
  if ((lost & kGrantFifo) != 0) {
    message::say(Priority::kWarning,
                 "NOT A REAL-TIME RUN: another process took SCHED_FIFO from the loop");
  }
  if ((lost & kGrantPinned) != 0) {
    message::say(Priority::kWarning,
                 "NOT A REAL-TIME RUN: another process let the loop run on other CPUs");
  }
  const std::uint32_t grants = (before & ~watched_grants_) | now;
  if (grants != before) scene_->telemetry().set_grants(grants);
}

// Each once per scene; `haptic status` shows what has become of it.
void Supervisor::report_warnings(const Statistics& statistics) {
  const double rate_hz = scene_->telemetry().header().rate_hz;
  for (const WarningFinding& finding : find_warnings(statistics.warnings, rate_hz)) {
    const auto index = static_cast<std::size_t>(finding.warning - kPhysicalWarnings.data());
    if (reported_warnings_.test(index)) continue;
    reported_warnings_.set(index);
    message::say(Priority::kWarning, "{}", finding.text());
  }
}

// The watchdog is fed only while the loop makes progress: a hung loop lets systemd kill us.
void Supervisor::notify_systemd() {
  const std::int64_t now = monotonic_ns();
  if (now - noticed_ns_ < kNoticeNs) return;
  noticed_ns_ = now;
  const Statistics statistics = reader_->statistics();
  const Counters& counters = statistics.counters;
  report_warnings(statistics);
  store_word(scene_->telemetry().statistics().counters.dropped_messages, message::dropped());
  if (counters.cycles == cycles_at_notice_) return;
  cycles_at_notice_ = counters.cycles;
  TelemetrySample newest;
  if (!reader_->newest(newest)) return;
  const char* guard =
      guarded_ ? "" : (options_.unguarded ? ", UNGUARDED (--unguarded)" : ", no guard");
  message::notify(fmt::format("WATCHDOG=1\nSTATUS={}, {} cycles, {} missed{}",
                              name(newest.record.state), counters.cycles, counters.missed, guard));
}

}  // namespace haptic

// How long until the outputs are zero after the daemon was killed, stopped, or lost its device:
// many trials, one after the other, with times taken on the device's side.
//
// usage: safety_trials ACTION OUTPUTS TRIALS NAME SEED -- DAEMON ARGUMENTS...
//   ACTION   kill (SIGKILL) | stop (SIGSTOP) | unplug (PLUG_OFF and PLUG_ON of the environment,
//            written to PLUG_FILE, pull the plug and put it back; the daemon stays and is reset
//            until it has its device again) | guard (the guard, whose process number is in the file
//            GUARD_PID of the environment, is stopped, and goes on afterwards) | command (an
//            operator's stop, while the daemon's messages have no reader) | signal_daemon |
//            signal_guard | signal_both (one after the other every signal that can be caught;
//            who starts a guard again when it has ended writes its process number to the file)
//   OUTPUTS  arm: the board's own stamps in sysfs; telemetry: the daemon's commanded wrench, for a
//            device that cannot be reached any more; else the state file of a gadget
//   NAME     of the daemon; it is started for each trial that finds none, engaged, and must drive
//            its outputs before anything happens to it
// Prints the distribution; exits with 1 unless at least 95 of 100 are within 20 ms (50 ms after the
// guard was stopped; a command within 20 ms and the time that a controlled stop takes) and none is
// later than 100 ms more (CLOCK_MONOTONIC of this machine); with 3 when a trial could not be run,
// when the outputs stay driven, or when the guard reports driven outputs as safe.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/machine/gadget/gadget_state.h"
#include "tests/machine/trial_daemon.h"
#include "tests/machine/trial_outputs.h"
#include "tests/machine/trial_signals.h"

namespace haptic::machine {
namespace {

constexpr std::uint64_t kMs = 1000000;
constexpr std::uint64_t kWithin = 20 * kMs;      // the bound for 95 of 100
constexpr std::uint64_t kAfterGuard = 50 * kMs;  // a guard's silence is a fault by then
constexpr std::uint64_t kLatest = 100 * kMs;     // and for all

// Of signals there are many: each is sent once for so many trials of the other actions.
constexpr std::size_t kSignalShare = 10;
// A guard that is asked to end waits a second for the daemon's end, then gives notice.
constexpr std::uint64_t kNotice = 1000 * kMs;

pid_t guard_pid() {
  const char* path = std::getenv("GUARD_PID");
  int pid = 0;
  if (path == nullptr || !(std::ifstream(path) >> pid) || pid <= 0) fail("GUARD_PID: no process");
  return pid;
}

/// What the guard says from now on. Each look reads only what is new: this process has the
/// machine's only processor while it reads.
class GuardWords {
 public:
  GuardWords() : file_(open(std::getenv("GUARD_LOG"), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0 || lseek(file_, 0, SEEK_END) < 0) fail("GUARD_LOG: no file");
  }
  ~GuardWords() { close(file_); }
  GuardWords(const GuardWords&) = delete;
  GuardWords& operator=(const GuardWords&) = delete;

  /// Whether it has said that it has made the outputs safe.
  bool say_safe() {
    char more[4096];
    for (ssize_t n; (n = read(file_, more, sizeof more)) > 0;) {
      said_.append(more, static_cast<std::size_t>(n));
    }
    return said_.find("; outputs safe ") != said_.npos;
  }

 private:
  int file_;
  std::string said_;
};

/// Polls until `done`; generous, for a machine that is slow, and seldom: times are taken by others.
bool within(double seconds, const std::function<bool()>& done) {
  const std::uint64_t end = monotonic_ns() + static_cast<std::uint64_t>(seconds * 1e9);
  while (!done()) {
    if (monotonic_ns() > end) return false;
    usleep(5000);
  }
  return true;
}

/// Writes to the file that pulls or puts back the plug. No process is started for it: that alone
/// would take 50 ms and more here.
void plug(const char* variable) {
  const char* path = std::getenv("PLUG_FILE");
  const char* value = std::getenv(variable);
  const int file = path != nullptr && value != nullptr ? open(path, O_WRONLY | O_CLOEXEC) : -1;
  const std::string text = std::string(value == nullptr ? "" : value) + "\n";
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fail(std::string(variable) + " failed");
  close(file);
}

/// @returns whether at least 95 of 100 are within the bound and none is much later
bool print_distribution(const std::string& title, std::vector<std::uint64_t> times,
                        std::uint64_t bound) {
  std::sort(times.begin(), times.end());
  const auto ms = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-6; };
  const auto at = [&](double fraction) {
    return ms(times[static_cast<std::size_t>(fraction * static_cast<double>(times.size() - 1))]);
  };
  const auto within_bound =
      std::count_if(times.begin(), times.end(), [&](auto t) { return t <= bound; });
  std::printf(
      "%s until zero, %zu trials [ms]: min %.2f  p50 %.2f  p90 %.2f  p95 %.2f  max %.2f; within "
      "%.0f "
      "ms: %ld\n",
      title.c_str(), times.size(), at(0), at(0.5), at(0.9), at(0.95), at(1), ms(bound),
      static_cast<long>(within_bound));
  std::printf("  all:");
  for (const std::uint64_t t : times) std::printf(" %.1f", ms(t));
  std::printf("\n");
  if (static_cast<double>(within_bound) < 0.95 * static_cast<double>(times.size())) {
    std::printf("FAILED: fewer than 95 of 100 within the bound\n");
    return false;
  }
  if (times.back() > bound - kWithin + kLatest) {
    std::printf("FAILED: much later than the bound\n");
    return false;
  }
  return true;
}

}  // namespace

/// What the trials share.
struct Bench {
  Daemon& daemon;
  Outputs outputs;
  CommandedWrench& wrench;
  std::size_t attempts = 0;
  std::vector<std::uint64_t> times{};            ///< until zero [ns]
  std::vector<std::uint64_t> times_by_notice{};  ///< of daemons whose guard was asked to end
  std::size_t unmoved = 0;                       ///< signals without effect, as expected
  int interruptions = 0;  ///< daemons that ended, or gave up by a fault, before their trial
  int left_running = 0;
};

/// Runs the daemon until its outputs have been driven for `driven_ns`. On a slow machine the daemon
/// may end or fault before that: it is then restarted, and the interruption is counted.
void drive(Bench& bench, std::uint64_t driven_ns) {
  Daemon& daemon = bench.daemon;
  bool seen = false;
  const bool driven = within(120, [&] {
    if (!daemon.runs()) {
      if (seen) ++bench.interruptions;
      bench.wrench.clear();
      daemon.start();
      seen = true;
      return false;
    }
    seen = true;
    const std::optional<ServoState> state = daemon.state();
    if (state == ServoState::kFault && daemon.tell(CommandKind::kReset)) ++bench.interruptions;
    if (state == ServoState::kHoming) daemon.tell(CommandKind::kHome);  // an arm: held in its pose
    if (state == ServoState::kIdle) daemon.tell(CommandKind::kEngage);
    if (state != ServoState::kEngaged) return false;
    const std::uint64_t since = bench.outputs.unsafe_since();
    return since != 0 && monotonic_ns() - since > driven_ns;
  });
  if (!driven) fail("the outputs are not driven within 120 s");
}

/// To any moment of a cycle: whoever polls wakes at the same one again and again.
void sleep_a_random_time(std::mt19937& random) {
  usleep(static_cast<useconds_t>(random() % 3000));
}

void expect_fault(Daemon& daemon) {
  const std::optional<ServoState> state = daemon.state();
  if (state == ServoState::kFault) return;
  fail("no fault is latched: the daemon " +
       (state           ? "is in state " + std::to_string(static_cast<int>(*state))
        : daemon.runs() ? std::string("runs without readable telemetry")
                        : std::string("has ended")));
}

/// Waits for zero outputs, which stay zero. @returns since when
std::uint64_t expect_zero(Bench& bench, GuardWords& words) {
  if (!within(5, [&] {
        const bool is_said = words.say_safe();  // read before the outputs
        const bool is_safe = bench.outputs.safe_since() != 0;
        if (is_said && !is_safe) fail("the guard says safe while the outputs are driven");
        return is_safe;
      })) {
    fail("the outputs stay driven");
  }
  const std::uint64_t zero = bench.outputs.safe_since();
  usleep(100000);
  if (bench.outputs.safe_since() != zero) fail("driven again after zero");
  return zero;
}

void record(Bench& bench, std::vector<std::uint64_t>& times, std::uint64_t start,
            std::uint64_t zero) {
  if (zero > start) {
    times.push_back(zero - start);
  } else {
    ++bench.interruptions;
  }
}

/// One signal of trial_signals() to daemon, guard, or both.
void attempt_signal(Bench& bench, const std::string& action) {
  Daemon& daemon = bench.daemon;
  const std::span<const TrialSignal> all = trial_signals();
  const TrialSignal& signal = all[bench.attempts++ % all.size()];
  const std::string name = signal_name(signal.number);
  const bool to_daemon = action != "signal_guard";
  const bool to_guard = action != "signal_daemon";
  const bool ends = to_daemon && signal.ends_daemon;
  const bool asks = to_guard && signal.asks_guard_to_end;
  const pid_t guard = guard_pid();
  GuardWords words;
  const std::uint64_t start = monotonic_ns();
  if (to_guard) kill(guard, signal.number);
  if (to_daemon) kill(daemon.pid(), signal.number);
  if (ends || asks) {
    record(bench, ends ? bench.times : bench.times_by_notice, start, expect_zero(bench, words));
  } else {
    usleep(200000);
    // SIGHUP reloads the scene, which ramps the force down and up again.
    if (!(to_daemon && signal.number == SIGHUP)) {
      if (bench.outputs.safe_since() != 0) fail(name + " made the outputs zero");
      ++bench.unmoved;
    }
    if (!daemon.runs()) fail(name + " ended the daemon");
  }
  if (ends && !within(3, [&] { return !daemon.runs(); })) {
    ++bench.left_running;
    daemon.end();
  }
  if (asks && !within(20, [&] { return guard_pid() != guard; })) {
    fail(name + ": the guard does not end");
  }
  if (!asks && kill(guard, 0) != 0) fail(name + ": the guard is gone");
  if (asks && !to_daemon) expect_fault(daemon);
  bench.wrench.clear();
}

/// One trial of the other actions.
void attempt(Bench& bench, const std::string& action) {
  Daemon& daemon = bench.daemon;
  GuardWords words;
  const std::uint64_t start = monotonic_ns();
  if (action == "kill") kill(daemon.pid(), SIGKILL);
  if (action == "stop") kill(daemon.pid(), SIGSTOP);
  if (action == "unplug") plug("PLUG_OFF");
  if (action == "guard") kill(guard_pid(), SIGSTOP);
  if (action == "command") stop_daemon(daemon.name(), 5000);
  const std::uint64_t zero = expect_zero(bench, words);
  if (action == "unplug") {
    expect_fault(daemon);
    plug("PLUG_ON");
    // A reset before the device is back ends in the same fault again.
    if (!within(20, [&] {
          const std::optional<ServoState> state = daemon.state();
          if (state == ServoState::kFault) daemon.tell(CommandKind::kReset);
          if (state == ServoState::kHoming) daemon.tell(CommandKind::kHome);
          return state == ServoState::kIdle;
        }))
      fail("the device does not come back");
  } else if (action == "guard" || action == "command") {
    expect_fault(daemon);
    if (action == "guard") kill(guard_pid(), SIGCONT);
    if (!within(20, [&] { return daemon.tell(CommandKind::kReset); })) fail("no reset");
  } else if (!within(3, [&] { return !daemon.runs(); })) {
    ++bench.left_running;  // the guard should have killed a stopped daemon
    daemon.end();
  }
  bench.wrench.clear();
  record(bench, bench.times, start, zero);
}

int run(int argc, char** argv) {
  if (argc < 8 || std::strcmp(argv[6], "--") != 0) {
    std::fputs(
        "usage: safety_trials "
        "kill|stop|unplug|guard|command|signal_daemon|signal_guard|signal_both "
        "OUTPUTS TRIALS NAME SEED -- DAEMON ARGUMENTS...\n",
        stderr);
    return 2;
  }
  const std::string action = argv[1];
  const std::string which = argv[2];
  const auto trials = static_cast<std::size_t>(std::atoi(argv[3]));
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[5])));
  std::vector<char*> command(argv + 7, argv + argc);
  command.push_back(nullptr);
  signal(SIGPIPE, SIG_IGN);

  // Above the daemon's loop: what is measured shall not wait for what is tested.
  sched_param priority{};
  priority.sched_priority = 92;
  sched_setscheduler(0, SCHED_FIFO, &priority);

  CommandedWrench wrench(argv[4]);
  Daemon daemon(argv[4], command, action == "command");
  Bench bench{daemon,
              which == "telemetry" ? Outputs{[&] { return wrench.safe_since(); },
                                             [&] { return wrench.unsafe_since(); }}
                                   : find_outputs(which),
              wrench};
  const bool of_signals = action.starts_with("signal");
  const std::size_t wanted = of_signals ? trials * trial_signals().size() / kSignalShare : trials;
  while (bench.times.size() + bench.times_by_notice.size() + bench.unmoved < wanted) {
    drive(bench, 50 * kMs + random() % (50 * kMs));
    sleep_a_random_time(random);
    if (of_signals) {
      attempt_signal(bench, action);
    } else {
      attempt(bench, action);
    }
  }
  daemon.end();
  std::printf("%s (%s): daemons lost before their trial: %d; left to be ended by the test: %d",
              action.c_str(), which.c_str(), bench.interruptions, bench.left_running);
  if (of_signals) std::printf("; signals without effect: %zu", bench.unmoved);
  std::printf("\n");
  const std::uint64_t bound = action == "guard" ? kAfterGuard : kWithin;
  bool kept = bench.left_running == 0;
  if (!bench.times.empty())
    kept &= print_distribution(action + " (" + which + ")", bench.times, bound);
  if (!bench.times_by_notice.empty()) {
    kept &= print_distribution(action + " (" + which + ", by notice)", bench.times_by_notice,
                               kNotice + kAfterGuard);
  }
  return kept ? 0 : 1;
}

}  // namespace haptic::machine

int main(int argc, char** argv) {
  return haptic::machine::run(argc, argv);
}

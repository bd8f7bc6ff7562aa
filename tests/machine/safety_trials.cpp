// How long until the outputs are zero after the daemon was killed, stopped, or lost its device:
// many trials, one after the other, with times taken on the device's side.
//
// usage: safety_trials ACTION OUTPUTS TRIALS NAME SEED -- DAEMON ARGUMENTS...
//   ACTION   kill (SIGKILL) | stop (SIGSTOP) | unplug (PLUG_OFF and PLUG_ON of the environment,
//            written to PLUG_FILE, pull the plug and put it back; the daemon stays and is reset
//            until it has its device again) | guard (the guard, GUARD_PID of the environment, is
//            stopped, and goes on afterwards) | command (an operator's stop, while the
//            daemon's messages have no reader) | signal (one after the other every signal that does
//            not ask the guard to end, to daemon and guard at once)
//   OUTPUTS  arm: the board's own stamps in sysfs; telemetry: the daemon's commanded wrench, for a
//            device that cannot be reached any more; else the state file of a gadget
//   NAME     of the daemon; it is started for each trial that finds none, engaged, and must drive
//            its outputs before anything happens to it
// Prints the distribution; exits with 1 unless at least 95 of 100 are within 20 ms (50 ms after the
// guard was stopped; a command within 20 ms and the time that a controlled stop takes) and none is
// later than 100 ms more (CLOCK_MONOTONIC of this machine); with 3 when a trial could not be made.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/machine/gadget/gadget_state.h"
#include "tests/machine/trial_daemon.h"
#include "tests/machine/trial_outputs.h"

namespace haptic::machine {
namespace {

constexpr std::uint64_t kMs = 1000000;
constexpr std::uint64_t kWithin = 20 * kMs;      // the bound for 95 of 100
constexpr std::uint64_t kAfterGuard = 50 * kMs;  // a guard's silence is a fault by then
constexpr std::uint64_t kLatest = 100 * kMs;     // and for all

std::uint64_t bound_of(const std::string& action) {
  return action == "guard" ? kAfterGuard : kWithin;
}

pid_t guard_pid() {
  const char* pid = std::getenv("GUARD_PID");
  if (pid == nullptr || std::atoi(pid) <= 0) fail("GUARD_PID names no process");
  return std::atoi(pid);
}

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

/// What a daemon may receive; the guard must outlive all of them.
constexpr int kSignals[] = {SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM,   SIGVTALRM,
                            SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT, SIGABRT,
                            SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,    SIGTRAP};

/// What the trials share.
struct Bench {
  Daemon& daemon;
  Outputs outputs;
  CommandedWrench& wrench;
  std::size_t signals = 0;  ///< sent so far
  int interruptions = 0;    ///< daemons that ended, or gave up by a fault, before their trial
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

/// One trial. @returns the time until zero [ns]; 0 if the outputs were zero by accident before
std::uint64_t attempt(Bench& bench, const std::string& action, int& left_running) {
  Daemon& daemon = bench.daemon;
  const std::uint64_t start = monotonic_ns();
  if (action == "kill") kill(daemon.pid(), SIGKILL);
  if (action == "stop") kill(daemon.pid(), SIGSTOP);
  if (action == "unplug") plug("PLUG_OFF");
  if (action == "guard") kill(guard_pid(), SIGSTOP);
  if (action == "signal") {
    const int sent = kSignals[bench.signals++ % std::size(kSignals)];
    kill(guard_pid(), sent);
    kill(daemon.pid(), sent);
  }
  if (action == "command") stop_daemon(daemon.name(), 5000);
  if (!within(5, [&] { return bench.outputs.safe_since() != 0; })) fail("the outputs stay driven");
  const std::uint64_t zero = bench.outputs.safe_since();
  usleep(100000);
  if (bench.outputs.safe_since() != zero) fail("driven again after zero");
  if (action == "signal" && kill(guard_pid(), 0) != 0) fail("the guard is gone");
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
    ++left_running;  // a stopped daemon is the guard's to end
    daemon.end();
  }
  bench.wrench.clear();
  return zero > start ? zero - start : 0;
}

int run(int argc, char** argv) {
  if (argc < 8 || std::strcmp(argv[6], "--") != 0) {
    std::fputs(
        "usage: safety_trials kill|stop|unplug|guard|command|signal OUTPUTS TRIALS NAME SEED -- "
        "DAEMON "
        "ARGUMENTS...\n",
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
  std::vector<std::uint64_t> times;
  int left_running = 0;
  while (times.size() < trials) {
    drive(bench, 50 * kMs + random() % (50 * kMs));
    sleep_a_random_time(random);
    const std::uint64_t time = attempt(bench, action, left_running);
    if (time != 0) {
      times.push_back(time);
    } else {
      ++bench.interruptions;
    }
  }
  daemon.end();
  std::printf("%s (%s): daemons lost before their trial: %d; left to be ended by the test: %d\n",
              action.c_str(), which.c_str(), bench.interruptions, left_running);
  const bool kept = print_distribution(action + " (" + which + ")", times, bound_of(action));
  return kept && left_running == 0 ? 0 : 1;
}

}  // namespace haptic::machine

int main(int argc, char** argv) {
  return haptic::machine::run(argc, argv);
}

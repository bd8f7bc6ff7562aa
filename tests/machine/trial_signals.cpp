#include "tests/machine/trial_signals.h"

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

namespace haptic::machine {
namespace {

std::vector<TrialSignal> all_signals() {
  std::vector<TrialSignal> all;
  for (const int number : {SIGTERM, SIGINT, SIGQUIT}) all.push_back({number, true, true});
  all.push_back({SIGHUP, false, true});  // the daemon reads its scene again
  for (const int number : {SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
                           SIGSTKFLT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
    all.push_back({number, true, false});
  }
  for (const int number :
       {SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGXFSZ, SIGSYS, SIGCHLD, SIGURG, SIGWINCH, SIGCONT}) {
    all.push_back({number, false, false});
  }
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) all.push_back({number, true, false});
  return all;
}

}  // namespace

std::span<const TrialSignal> trial_signals() {
  static const std::vector<TrialSignal> all = all_signals();
  return all;
}

std::string signal_name(int number) {
  if (number >= SIGRTMIN) return "SIGRTMIN+" + std::to_string(number - SIGRTMIN);
  return "SIG" + std::string(sigabbrev_np(number));
}

}  // namespace haptic::machine

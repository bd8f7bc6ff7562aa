#include "rt/guard/guard_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

// The C library keeps two real-time signals for itself, never blocks them and handles them only
// once a thread is cancelled or its user changed, neither of which the guard does.
void ignore_signals_of_c_library() {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } ignore{SIG_IGN, 0, nullptr, 0};
  for (const int signal : {32, 33}) syscall(SYS_rt_sigaction, signal, &ignore, nullptr, 8);
}

}  // namespace

// A fault of the guard's own code ends it although the signal is blocked: the kernel sees to that.
GuardSignals::GuardSignals() {
  // Blocked, the signal of an access to shared memory that was cut would end the guard; ignored, it
  // only does nothing when another process sends it (MappingGuard).
  signal(SIGBUS, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  ignore_signals_of_c_library();
  descriptor_ = FileDescriptor(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  if (descriptor_.get() < 0) {
    throw OperationError(std::string("signals cannot be received: ") + std::strerror(errno));
  }
}

int GuardSignals::asked_to_end() {
  signalfd_siginfo info{};
  while (read(descriptor_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int signal = static_cast<int>(info.ssi_signo);
    const bool asks =
        signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
    if (asks && asked_ == 0) asked_ = signal;
  }
  return asked_;
}

}  // namespace haptic

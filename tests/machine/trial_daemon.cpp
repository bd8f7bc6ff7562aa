#include "tests/machine/trial_daemon.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>

#include "shared/error.h"
#include "tests/machine/trial_outputs.h"

namespace haptic::machine {

void Daemon::start() {
  reader_.reset();
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const sched_param ordinary{};
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    // What it says goes to a file: a hundred starts would fill the log.
    const int log = open("/run/trials.log", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(log, 1);
    dup2(log, 2);
    int ends[2];
    if (unheard_ && pipe(ends) == 0) {
      dup2(ends[1], 2);
      close(ends[0]);
      close(ends[1]);
    }
    execv(command_[0], command_.data());
    _exit(127);
  }
}

bool Daemon::runs() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

void Daemon::end() {
  if (!runs()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::optional<ServoState> Daemon::state() {
  if (!runs()) return std::nullopt;
  try {
    // SIGHUP replaces scene and telemetry.
    if (!reader_ || reader_->life() != DaemonLife::kAlive) {
      reader_ = std::make_unique<TelemetryReader>(name_);
    }
    TelemetrySample snapshot;
    // This process has a higher priority than the loop and shares its only processor. If it has
    // preempted the loop during a write, the read fails until this process sleeps.
    for (int attempt = 0; reader_->header().daemon_pid == pid_ && attempt < 20; ++attempt) {
      if (reader_->newest(snapshot)) return snapshot.record.state;
      usleep(1000);
    }
  } catch (const std::exception&) {  // not there yet
  }
  reader_.reset();
  return std::nullopt;
}

bool Daemon::tell(CommandKind kind) {
  try {
    const CommandReply reply = kind == CommandKind::kStop
                                   ? stop_daemon(name_, 5000)
                                   : CommandClient(name_).send(kind, {}, 0.0, 5000);
    return reply.answer == CommandAnswer::kApplied;
  } catch (const OperationError&) {
    return false;
  }
}

}  // namespace haptic::machine

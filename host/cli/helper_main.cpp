// haptic-bake, which `haptic` executes for the commands of helper_commands.h.
#include <csignal>

#include "host/cli/commands.h"

namespace {

/// UCX, a library of Debian 13's MPI, has a handler for SIGHUP from its loading on, with which the
/// program would go on when its terminal is closed. A signal that the parent ignores stays ignored.
void restore_hangup() {
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  restore_hangup();
  return haptic::run_program(argc, argv, haptic::add_helper_commands);
}

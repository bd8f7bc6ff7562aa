// haptic-bake, which `haptic` executes for the commands of helper_commands.h.
#include <csignal>

#include "host/cli/commands.h"

namespace {

/// Debian 13's MPI loads UCX, which installs a handler for SIGHUP, so that the program would keep
/// running after its terminal is closed. If the parent process ignores SIGHUP, it stays ignored.
void restore_hangup() {
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  restore_hangup();
  return haptic::run_program(argc, argv, haptic::add_helper_commands);
}

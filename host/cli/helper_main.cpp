// haptic-bake, which `haptic` executes for the commands of helper_commands.h.
#include "host/cli/commands.h"

int main(int argc, char** argv) {
  return haptic::run_program(argc, argv, haptic::add_helper_commands);
}

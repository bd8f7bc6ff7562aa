#include "host/cli/commands.h"

int main(int argc, char** argv) {
  return haptic::run_program(argc, argv, haptic::add_all_commands);
}

#include "host/cli/commands.h"

int main(int argc, char** argv) {
  return haptic::run_haptic(argc, argv);
}

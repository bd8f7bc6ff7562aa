#include "host/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "host/cli/command_examples.h"
#include "host/cli/helper_commands.h"
#include "host/cli/helper_program.h"
#include "shared/command_line/help_format.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/printable.h"
#include "shared/process_start.h"

namespace haptic {
namespace {

int report(const std::exception& error, int code) {
  std::cerr << "haptic: " << printable(error.what()) << std::endl;
  return code;
}

/// CLI11's errors may have lines.
std::runtime_error in_one_line(const CLI::ParseError& error) {
  std::string line = error.what();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return std::runtime_error(line);
}

/// @throws OperationError if what was printed could not be written
void finish_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw OperationError(std::string("standard output: cannot be written: ") +
                         std::strerror(errno));
  }
}

/// --help, --version. CLI11 prints the text.
int exit_with_help(const CLI::App& app, const CLI::ParseError& error) {
  try {
    const int code = app.exit(error);
    finish_output();
    return code;
  } catch (const OperationError& failure) {
    return report(failure, kExitFailed);
  }
}

}  // namespace

int run_program(int argc, const char* const* argv, void (*add_commands)(CLI::App&)) {
  prepare_process();
  CLI::App app("Bake and check models; watch, record and render haptic scenes.", "haptic");
  app.set_version_flag("--version", "haptic " HAPTIC_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  set_help_format(app, command_groups());
  add_commands(app);
  add_examples(app);
  refuse_empty_numbers(app);
  try {
    try {
      app.parse(argc, argv);
    } catch (const HelperNeeded& needed) {
      become_helper(needed.what(), argv);
    }
    finish_output();
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return exit_with_help(app, error);
    const std::string word = unknown_word(app, argc, argv);
    return word.empty() ? report(in_one_line(error), kExitBadInput)
                        : report(std::runtime_error(word), kExitBadInput);
  } catch (const InputError& error) {
    return report(error, kExitBadInput);
  } catch (const std::bad_alloc&) {
    return report(OperationError("out of memory"), kExitFailed);
  } catch (const std::exception& error) {
    return report(error, kExitFailed);
  }
}

}  // namespace haptic

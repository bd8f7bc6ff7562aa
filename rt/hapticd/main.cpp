#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "rt/hapticd/command_line.h"
#include "rt/hapticd/daemon.h"
#include "shared/command_line/help_format.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/printable.h"
#include "shared/process_start.h"

namespace haptic {
namespace {

/// Prints one line; neither throws nor ends the process if standard error has no reader.
int report_error(const std::exception& error, int code) {
  const std::string line = fmt::format("hapticd: {}\n", printable(error.what()));
  std::fputs(line.c_str(), stderr);
  return code;
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  haptic::prepare_process();
  CLI::App app("hapticd: haptic rendering of baked models in a real-time loop", "hapticd");
  haptic::set_help_format(app);
  haptic::Options options;
  haptic::add_options(app, options);
  haptic::refuse_empty_numbers(app);
  try {
    app.parse(argc, argv);
    // Not on the stack, which need not be able to grow (prepare_process).
    return std::make_unique<haptic::Daemon>(options)->run();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string word = haptic::unknown_word(app, argc, argv);
    return haptic::report_error(
        word.empty() ? std::runtime_error(error.what()) : std::runtime_error(word),
        haptic::kExitBadInput);
  } catch (const haptic::InputError& error) {
    return haptic::report_error(error, haptic::kExitBadInput);
  } catch (const std::exception& error) {
    return haptic::report_error(error, haptic::kExitFailed);
  }
}

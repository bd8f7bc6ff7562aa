// Writes the files of the package that are generated from the table of commands:
//   haptic_reference manual TEMPLATE OUT   the manual page, with the commands at @COMMANDS@
//   haptic_reference completion OUT        the completion script for bash
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "host/cli/command_examples.h"
#include "host/cli/command_reference.h"
#include "host/cli/commands.h"
#include "host/cli/key_search.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush()) throw OperationError(path + ": cannot be written");
}

std::string manual(const CLI::App& app, const std::string& path) {
  constexpr std::string_view kPlace = "@COMMANDS@\n";
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t place = text.find(kPlace);
  if (place == std::string::npos) throw InputError(path, "", "found no line @COMMANDS@");
  return text.replace(place, kPlace.size(), commands_manual(app));
}

ArgumentWords words_of_arguments() {
  return {{"explain", key_words(all_keys())}};
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  try {
    CLI::App app("", "haptic");
    haptic::add_documented_commands(app);
    haptic::add_examples(app);
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "manual" && argc == 4) {
      haptic::write(argv[3], haptic::manual(app, argv[2]));
    } else if (what == "completion" && argc == 3) {
      haptic::write(argv[2], haptic::bash_completion(app, haptic::words_of_arguments()));
    } else {
      throw haptic::InputError("haptic_reference", "", "found " + what,
                               "manual TEMPLATE OUT or completion OUT");
    }
    return haptic::kExitDone;
  } catch (const std::exception& error) {
    std::cerr << "haptic_reference: " << haptic::printable(error.what()) << "\n";
    return haptic::kExitBadInput;
  }
}

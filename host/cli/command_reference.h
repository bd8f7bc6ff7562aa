#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haptic {

/// The commands of `app` as sections of a manual page (man(7) macros): every command with its
/// usage, every argument and option with its help text. Generated from the table that parses them,
/// so that it is always up to date.
std::string commands_manual(const CLI::App& app);

/// Words that complete the arguments of a command, by command: "explain" has "rate_hz",
/// "contact.stiffness", ...
using ArgumentWords = std::map<std::string, std::vector<std::string>>;

/// A completion script for bash: commands, their subcommands and options, and the words of their
/// arguments; file names elsewhere. Words with a dot are offered to a word with a dot, the others
/// to one without.
/// @param arguments by the path of the command; words without blanks or signs of the shell
std::string bash_completion(const CLI::App& app, const ArgumentWords& arguments);

}  // namespace haptic

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haptic {

/// Headings of the commands in `haptic --help`, in their order.
std::vector<std::string> command_groups();

/// Gives every command of `app` its heading and the examples at the end of its --help, from one
/// table. A command that is not in the table stands under the last heading.
void add_examples(CLI::App& app);

}  // namespace haptic

#pragma once

#include <filesystem>
#include <string>

namespace haptic {

/// Why this process may not open a device node for reading and writing, and what to do about it, in
/// one line: "no permission (root:iocard 0660): add user anna to group iocard". Empty if it may, or
/// if there is no such node.
std::string node_problem(const std::filesystem::path& node);

}  // namespace haptic

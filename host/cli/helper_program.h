#pragma once

#include <string_view>

namespace haptic {

/// Replaces this process by the program kHelperProgram with the same arguments, so that terminal,
/// signals, exit code and the environment of an MPI job stay as they are.
///
/// The program is looked for in the folder of this executable (build trees), then in
/// ../libexec/hapticd from there (/usr/bin -> /usr/libexec/hapticd); never in PATH or the working
/// directory.
///
/// @param command for messages, e.g. "bake"
/// @param argv    of main
/// @throws InputError if it is not installed; OperationError if it cannot be started
[[noreturn]] void become_helper(std::string_view command, const char* const* argv);

}  // namespace haptic

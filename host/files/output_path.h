#pragma once

#include <filesystem>
#include <span>

namespace haptic {

/// Refuses an output while nothing has been done for it yet.
/// @param inputs what the command reads: none of them may be replaced by what comes of it
/// @throws InputError if `target` has no name, is no ordinary file, lies in no folder that can be
///         written, or is one of `inputs`
void check_output(const std::filesystem::path& target,
                  std::span<const std::filesystem::path> inputs = {});

/// The same for a picture, whose name must end in .png: nothing else is replaced by one.
void check_picture(const std::filesystem::path& target,
                   std::span<const std::filesystem::path> inputs);

}  // namespace haptic

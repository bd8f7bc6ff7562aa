#pragma once

#include <filesystem>
#include <span>

namespace haptic {

/// Refuses an invalid output path before any work is done.
/// @param inputs files that the command reads: the output must not replace them
/// @throws InputError if `target` is empty, exists and is not a regular file, is being written by
///         another process (TemporaryFile), its folder is not writable, or it is one of `inputs`
void check_output(const std::filesystem::path& target,
                  std::span<const std::filesystem::path> inputs = {});

/// The same for an image, whose name must end in .png, so that no other file is replaced by
/// mistake.
void check_picture(const std::filesystem::path& target,
                   std::span<const std::filesystem::path> inputs);

}  // namespace haptic

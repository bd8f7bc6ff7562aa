#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace haptic {

/// Runs gnuplot (Debian's gnuplot-nox) on a script and puts the picture under its name once it is
/// whole; an old picture stays until then.
/// @param script  makes the text, given the temporary file that `set output` has to name
/// @throws OperationError if gnuplot is missing, fails, or the picture cannot be put in place
void draw_with_gnuplot(const std::filesystem::path& picture,
                       const std::function<std::string(const std::filesystem::path&)>& script);

}  // namespace haptic

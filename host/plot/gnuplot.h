#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace haptic {

/// Runs gnuplot (Debian's gnuplot-nox) on a script and gives the image its name once it is
/// complete; an old image stays until then.
/// @param script  returns the text, given the file for `set output`
/// @throws OperationError if gnuplot is missing, fails, or the image cannot be renamed
void draw_with_gnuplot(const std::filesystem::path& picture,
                       const std::function<std::string(const std::filesystem::path&)>& script);

}  // namespace haptic

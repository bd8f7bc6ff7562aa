#pragma once

#include <filesystem>
#include <string>

#include "host/bake/stage_key.h"

namespace haptic {

/// Content of a file. @throws InputError if it cannot be read
std::string bytes_of_file(const std::filesystem::path& path);

/// Hash of the content of a file; zero for an empty path.
StageDigest digest_of_file(const std::filesystem::path& path);

}  // namespace haptic

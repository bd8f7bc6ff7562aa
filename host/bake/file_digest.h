#pragma once

#include <filesystem>

#include "host/bake/stage_key.h"

namespace haptic {

/// Hash of the content of a file; zero for an empty path.
/// @throws InputError as read_file_bytes
StageDigest digest_of_file(const std::filesystem::path& path);

}  // namespace haptic

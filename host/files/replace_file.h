#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace haptic {

/// Replaces `path` by the pieces one after the other by a TemporaryFile: the old file stays until
/// the new one is complete.
/// @throws OperationError naming the file and the system's reason; no temporary file is left
void replace_file(const std::filesystem::path& path,
                  std::initializer_list<std::string_view> pieces);

}  // namespace haptic

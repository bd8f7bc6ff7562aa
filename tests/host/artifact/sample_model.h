#pragma once

#include <filesystem>

namespace haptic {

/// Writes a small model with every kind of section (r = 3, n = 8): values are arbitrary but fixed.
void write_sample_model(const std::filesystem::path& path);

/// A fresh folder under the test's temporary folder.
std::filesystem::path fresh_folder(const char* name);

}  // namespace haptic

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "shared/artifact/model_file.h"

namespace haptic {

/// Reads the sections of a model file. Every number of its user block is checked before use and,
/// with Hashes::kCheck, its data as well: hashes, finite numbers, indices in range.
/// @param file  all bytes of the file
/// @throws InputError (file, section, found, expected) if anything is invalid
std::vector<Section> checked_sections(const std::filesystem::path& path,
                                      std::span<const std::byte> file, ModelFile::Hashes hashes);

}  // namespace haptic

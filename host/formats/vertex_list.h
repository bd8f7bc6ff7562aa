#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace haptic {

/// Fixed vertices of a .bou file: 1-based ids separated by commas, blanks or lines; `a : b` means
/// all ids from a to b; lines that begin with `#` are comments.
/// @param vertex_count of the mesh they belong to
/// @returns 0-based, ascending, each once
/// @throws InputError with file and line for anything else, or an id outside the mesh
std::vector<std::uint32_t> read_bou(const std::filesystem::path& path, std::size_t vertex_count);

/// Writes 0-based `vertices` as VegaFEM's list (1-based, commas, eight a line).
void write_bou(const std::filesystem::path& path, std::span<const std::uint32_t> vertices);

}  // namespace haptic

#pragma once

#include <filesystem>
#include <string>

namespace haptic {

/// The extension with its dot, in lower case; empty without one.
std::string lower_case_extension(const std::filesystem::path& path);

/// Whether the extension is that of a surface mesh: .obj, .stl or .ply, in any case.
bool is_surface_file(const std::filesystem::path& path);

/// Whether it is that of a volume mesh: .msh (Gmsh), .mesh (MEDIT), .ele or .node (TetGen), .veg
/// (VegaFEM), in any case.
bool is_volume_file(const std::filesystem::path& path);

}  // namespace haptic

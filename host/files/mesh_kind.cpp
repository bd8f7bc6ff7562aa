#include "host/files/mesh_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace haptic {
namespace {

constexpr std::array<std::string_view, 3> kSurfaces = {".obj", ".stl", ".ply"};
constexpr std::array<std::string_view, 5> kVolumes = {".msh", ".mesh", ".ele", ".node", ".veg"};

}  // namespace

std::string lower_case_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

bool is_surface_file(const std::filesystem::path& path) {
  return std::ranges::find(kSurfaces, lower_case_extension(path)) != kSurfaces.end();
}

bool is_volume_file(const std::filesystem::path& path) {
  return std::ranges::find(kVolumes, lower_case_extension(path)) != kVolumes.end();
}

}  // namespace haptic

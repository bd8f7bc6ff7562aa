// A volume mesh in one format (HAPTIC_VOLUME_FORMAT): refused with InputError, or tetrahedra that
// the rest of the bake can use.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "host/formats/tetrahedral_mesh_file.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace haptic;
namespace fs = std::filesystem;

/// A file for the inputs of this process.
class InputFile {
 public:
  InputFile()
      : path_(fs::temp_directory_path() /
              ("haptic-fuzz-" + std::to_string(::getpid()) + HAPTIC_VOLUME_FORMAT)) {}
  ~InputFile() { fs::remove(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void demand_valid(const TetrahedralMesh& mesh) {
  const std::size_t vertices = mesh.vertices.size(), elements = mesh.tetrahedra.size();
  demand(elements > 0, "a mesh has tetrahedra");
  for (const Vector3& v : mesh.vertices) demand(v.allFinite(), "coordinates are finite");
  for (const auto& corners : mesh.tetrahedra) {
    for (const std::uint32_t v : corners) demand(v < vertices, "indices are in range");
    const Vector3 &a = mesh.vertices[corners[0]], &b = mesh.vertices[corners[1]];
    const Vector3 &c = mesh.vertices[corners[2]], &d = mesh.vertices[corners[3]];
    demand((b - a).cross(c - a).dot(d - a) > 0.0, "tetrahedra have a positive volume");
  }
  demand(mesh.regions.empty() || mesh.regions.size() == elements, "every element has a region");
  for (const NamedGroup& group : mesh.groups) {
    for (const std::uint32_t v : group.vertices) demand(v < vertices, "a group's vertices exist");
    for (const std::uint32_t e : group.tetrahedra) demand(e < elements, "its elements exist");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFile file;
  std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << text_of(data, size);
  try {
    demand_valid(read_tetrahedral_mesh(file.path()));
  } catch (const InputError&) {
  }
  return 0;
}

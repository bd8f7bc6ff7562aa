// A surface in one format (HAPTIC_SURFACE_FORMAT): refused with InputError, or a mesh that the
// cleaning keeps valid.
#include <cmath>
#include <cstdint>

#include "host/formats/parse_surface.h"
#include "host/formats/polygon_soup.h"
#include "host/mesh/mesh_report.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace haptic;

void demand_valid(const TriangleMesh& mesh) {
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t v : triangle) demand(v < mesh.vertices.size(), "indices are in range");
  }
  for (const Vector3& v : mesh.vertices) {
    demand(v.cwiseAbs().maxCoeff() <= kMaxCoordinate, "coordinates are finite and bounded");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    SurfaceFile surface = parse_surface(text_of(data, size), HAPTIC_SURFACE_FORMAT, "file");
    demand_valid(surface.mesh);
    demand(surface.last_digit >= 0.0, "a last digit is no negative number");
    TriangleMesh& mesh = surface.mesh;
    demand(3 * mesh.triangles.size() >= mesh.vertices.size(), "every vertex has a triangle");
    const double joining = joining_tolerance(surface);
    const MeshReport report = clean_mesh(mesh, {.joining = joining, .close_holes = 0.5});
    demand_valid(mesh);
    demand(report.triangles == mesh.triangles.size(), "triangles are counted");
    demand(!report.closed || report.boundary_edges == 0, "a closed surface has no boundary");
    for (const auto& [i, j, k] : mesh.triangles) {
      demand(i != j && j != k && k != i, "no triangle uses a vertex twice");
    }
  } catch (const InputError&) {
  }
  return 0;
}

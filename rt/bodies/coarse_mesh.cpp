#include "rt/bodies/coarse_mesh.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/math/pose.h"

namespace haptic {

double element_length(const ModelFile& model) {
  const bool cubes = model.has("/mesh/elements");
  const char* const section = cubes ? "/mesh/elements" : "/mesh/tetrahedra";
  if (!model.has(section)) return 0.0;
  const std::span<const std::uint32_t> elements = model.indices(section);
  const std::span<const double> vertices = model.doubles("/mesh/vertices");
  const std::size_t corners = cubes ? 8 : 4;
  double sum = 0.0;
  std::size_t edges = 0;
  for (std::size_t e = 0; e + corners <= elements.size(); e += corners) {
    // The edges at the first corner: of a hexahedron in VTK order to the corners 1, 3 and 4.
    for (const std::size_t other : {std::size_t{1}, cubes ? std::size_t{3} : std::size_t{2},
                                    cubes ? std::size_t{4} : std::size_t{3}}) {
      const double* const a = vertices.data() + 3 * std::size_t{elements[e]};
      const double* const b = vertices.data() + 3 * std::size_t{elements[e + other]};
      sum += (Vector3(b[0], b[1], b[2]) - Vector3(a[0], a[1], a[2])).norm();
      ++edges;
    }
  }
  return edges > 0 ? sum / static_cast<double>(edges) : 0.0;
}

std::optional<std::string> coarse_mesh_warning(const std::string& body, const ModelFile& model,
                                               double tool_radius) {
  const double length = element_length(model);
  if (!(tool_radius < length)) return {};
  return fmt::format(
      "body \"{}\": its elements of {:.2g} mm are larger than the tool in the hand, {:.2g} mm in "
      "radius: where the tool presses, the body feels too stiff; bake {} with a larger [mesh] "
      "resolution",
      body, 1e3 * length, 1e3 * tool_radius, model.path().filename().string());
}

}  // namespace haptic

#include "rt/worlds/cloth/collision/moving_triangles.h"

#include <fmt/format.h>

#include "rt/worlds/cloth/collision/bounding_volumes.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/error.h"

namespace haptic::cloth {

void check_triangles(std::span<const TriangleCorners> triangles, std::span<const double> x) {
  if (triangles.empty() || triangles.size() > kMaxTriangles) {
    throw InputError("", "triangles", fmt::format("{}", triangles.size()), "1 to 2^30");
  }
  if (x.size() % 3 != 0) {
    throw InputError("", "positions", fmt::format("{} values", x.size()), "3 a particle");
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t i : triangles[t]) {
      if (i >= x.size() / 3) {
        throw InputError("", fmt::format("triangle {}", t), fmt::format("vertex {}", i),
                         fmt::format("a number below {}", x.size() / 3));
      }
      if (!is_bounded(at(x, i))) {
        throw InputError("", fmt::format("vertex {}", i), "a coordinate that is not finite",
                         "numbers up to 1e100 [m]");
      }
    }
  }
}

}  // namespace haptic::cloth

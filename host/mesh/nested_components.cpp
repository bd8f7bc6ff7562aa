#include "host/mesh/nested_components.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "host/mesh/surface_components.h"
#include "host/mesh/winding_number.h"

namespace haptic {
namespace {

/// Where a closed component lies among the others, and what becomes of it.
struct Nesting {
  std::optional<std::size_t> parent;  ///< smallest component around it
  bool turn = false;
  int inside = 1, outside = 0;  ///< winding number of the whole surface on its two sides
  bool bounds_material() const { return (inside > 0) != (outside > 0); }
};

/// Whether `inner` lies within `outer`: up to 16 of its vertices, spread over it, do.
bool encloses(const TriangleMesh& mesh, const SurfaceComponent& outer,
              const SurfaceComponent& inner) {
  if (!outer.box.contains(inner.box)) return false;
  const std::size_t step = std::max<std::size_t>(1, inner.triangles.size() / 16);
  for (std::size_t i = 0; i < inner.triangles.size(); i += step) {
    const Vector3& p = mesh.vertices[mesh.triangles[inner.triangles[i]][0]];
    // On a plane of it the number is a half.
    if (std::abs(winding_number(mesh, outer.triangles, p)) < 0.75) return false;
  }
  return true;
}

}  // namespace

NestedComponents orient_components(TriangleMesh& mesh) {
  NestedComponents result;
  const std::vector<SurfaceComponent> components = surface_components(mesh);
  std::vector<Nesting> nestings(components.size());
  std::vector<std::size_t> order;  // closed components, the largest first: parents before children
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (components[c].closed) order.push_back(c);
  }
  const auto size = [&](std::size_t c) { return std::abs(components[c].volume); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  });
  std::vector<bool> kept(components.size(), true);
  for (std::size_t n = 0; n < order.size(); ++n) {
    const SurfaceComponent& component = components[order[n]];
    Nesting& nesting = nestings[order[n]];
    for (std::size_t m = n; m-- > 0 && !nesting.parent;) {
      const bool larger = size(order[m]) > size(order[n]);
      if (larger && encloses(mesh, components[order[m]], component)) nesting.parent = order[m];
    }
    const bool outward = component.volume > 0.0;
    nesting.outside = nesting.parent ? nestings[*nesting.parent].inside : 0;
    // In material, the orientation counts as the file relates it to that of what is around.
    nesting.turn = nesting.outside > 0 ? nestings[*nesting.parent].turn : !outward;
    nesting.inside = nesting.outside + (outward != nesting.turn ? 1 : -1);
    kept[order[n]] = nesting.bounds_material();
    if (!nesting.bounds_material()) {
      ++result.left_out;
    } else if (nesting.turn) {
      ++result.turned;
      result.triangles_turned += component.triangles.size();
    }
  }
  // The winding numbers above are those of the surface as it was.
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (!nestings[c].turn || !kept[c]) continue;
    for (const std::uint32_t t : components[c].triangles) {
      std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
    }
  }
  keep_components(mesh, components, kept);
  return result;
}

}  // namespace haptic

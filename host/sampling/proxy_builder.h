#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/mesh/embedding.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// What a deforming field is blended from: sections /field/proxies
/// (docs/methods/contact-and-coupling.md, "Deforming field").
struct FieldProxySamples {
  std::vector<double> points;         ///< P x 3 [m]
  std::vector<double> displacement;   ///< P x 3 x r: U_i = sum_v phi_v U_v
  std::vector<double> gradients;      ///< P x 9 x r: du_a/dX_b = sum_v U_va (grad phi_v)_b
  std::vector<std::uint32_t> domain;  ///< P, ascending; empty for one domain
};

/// How many proxies each domain gets: by its area, at least `least` each (few proxies blend badly)
/// and at least `count` in all.
std::vector<std::uint32_t> proxies_per_domain(std::span<const double> areas, std::uint32_t count,
                                              std::uint32_t least);

/// `count` proxies spread over the rest surface of each domain: farthest points of random samples,
/// a hundred candidates a proxy. The same input gives the same bits.
/// @param domains closed surfaces, one or more
/// @param embed   embeds points of the surface in the simulation mesh
/// @param basis   3n x r row-major, rows (x, y, z) per mesh vertex
/// @throws InputError if count is 0 or a domain would get more than 256
FieldProxySamples build_field_proxies(
    std::span<const TriangleMesh> domains, std::uint32_t count,
    const std::function<std::vector<EmbeddedPoint>(std::span<const Vector3>)>& embed,
    std::span<const double> basis, std::uint32_t r);

}  // namespace haptic

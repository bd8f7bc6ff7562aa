#include "host/sampling/proxy_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/sampling/farthest_point.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint32_t kMaxInDomain = 256;  // rt/geometry/field_proxies.h
constexpr std::uint32_t kMinInDomain = 6;    // one more than are blended
constexpr std::uint32_t kCandidates = 100;   // per proxy

std::vector<double> areas_up_to(const TriangleMesh& mesh) {
  std::vector<double> sums;
  double sum = 0.0;
  for (const auto& t : mesh.triangles) {
    const Vector3& a = mesh.vertices[t[0]];
    sum += 0.5 * (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm();
    sums.push_back(sum);
  }
  return sums;
}

std::vector<Vector3> spread_points(const TriangleMesh& mesh, std::uint32_t count) {
  const std::vector<double> sums = areas_up_to(mesh);
  std::mt19937_64 random(20260718);
  // Not a distribution of the standard library, whose bits depend on the implementation.
  const auto unit = [&] { return std::ldexp(static_cast<double>(random() >> 11), -53); };
  std::vector<Vector3> candidates;
  for (std::size_t i = 0; i < std::size_t{count} * kCandidates; ++i) {
    const auto at = std::upper_bound(sums.begin(), sums.end() - 1, unit() * sums.back());
    const auto& t = mesh.triangles[static_cast<std::size_t>(at - sums.begin())];
    const double s = std::sqrt(unit()), v = unit();
    candidates.push_back((1.0 - s) * mesh.vertices[t[0]] + s * (1.0 - v) * mesh.vertices[t[1]] +
                         s * v * mesh.vertices[t[2]]);
  }
  std::vector<Vector3> points;
  for (const std::uint32_t i : farthest_point_order(candidates, count)) {
    points.push_back(candidates[i]);
  }
  return points;
}

}  // namespace

std::vector<std::uint32_t> proxies_per_domain(std::span<const double> areas, std::uint32_t count,
                                              std::uint32_t least) {
  double total = 0.0;
  for (const double area : areas) total += area;
  std::vector<std::uint32_t> each;
  for (const double area : areas) {
    each.push_back(std::max(least, static_cast<std::uint32_t>(std::ceil(count * area / total))));
  }
  return each;
}

FieldProxySamples build_field_proxies(
    std::span<const TriangleMesh> domains, std::uint32_t count,
    const std::function<std::vector<EmbeddedPoint>(std::span<const Vector3>)>& embed,
    std::span<const double> basis, std::uint32_t r) {
  if (count == 0) throw InputError("field", "proxies", "found 0", "one proxy or more");
  std::vector<double> areas;
  for (const TriangleMesh& domain : domains) areas.push_back(areas_up_to(domain).back());
  const auto each = proxies_per_domain(
      areas, count, domains.size() == 1 ? std::min(count, kMinInDomain) : kMinInDomain);
  FieldProxySamples proxies;
  std::vector<Vector3> points;
  for (std::uint32_t d = 0; d < domains.size(); ++d) {
    if (each[d] > kMaxInDomain) {
      throw InputError("field", "proxies", fmt::format("found {} in a domain", each[d]),
                       fmt::format("at most {}", kMaxInDomain));
    }
    const std::vector<Vector3> spread = spread_points(domains[d], each[d]);
    points.insert(points.end(), spread.begin(), spread.end());
    if (domains.size() > 1) proxies.domain.insert(proxies.domain.end(), each[d], d);
  }
  proxies.displacement.assign(points.size() * 3 * r, 0.0);
  proxies.gradients.assign(points.size() * 9 * r, 0.0);
  const std::vector<EmbeddedPoint> embedded = embed(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) proxies.points.push_back(points[i][axis]);
    double* U = &proxies.displacement[i * 3 * r];
    double* F = &proxies.gradients[i * 9 * r];
    for (std::size_t v = 0; v < 8; ++v) {
      const double* row = basis.data() + std::size_t{3} * r * embedded[i].vertices[v];
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t j = 0; j < r; ++j) {
          U[a * r + j] += embedded[i].weights[v] * row[a * r + j];
          for (std::size_t b = 0; b < 3; ++b) {
            F[(3 * a + b) * r + j] +=
                embedded[i].gradients[v][static_cast<int>(b)] * row[a * r + j];
          }
        }
      }
    }
  }
  return proxies;
}

}  // namespace haptic

#include "rt/worlds/cloth/contact/cloth_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "shared/assert.h"

namespace haptic::cloth {
namespace {

/// Parts into which a length is divided: a whole number, perhaps beyond any integer type.
double parts_of(double length, double spacing) {
  return std::max(1.0, std::ceil(length / spacing - 1e-9));
}

std::array<double, 3> edges_of(const TriangleCorners& t, std::span<const double> x) {
  std::array<double, 3> lengths;
  for (std::size_t k = 0; k < 3; ++k) lengths[k] = (at(x, t[(k + 1) % 3]) - at(x, t[k])).norm();
  return lengths;
}

/// Upper bound of the sites at a spacing: edges inside are counted twice.
double count_bound(std::span<const TriangleCorners> triangles, std::span<const double> x,
                   double spacing) {
  const std::size_t nodes = x.size() / 3;
  auto sum = static_cast<double>(nodes);
  for (const TriangleCorners& t : triangles) {
    const std::array<double, 3> edges = edges_of(t, x);
    for (const double edge : edges) sum += parts_of(edge, spacing) - 1.0;
    const double n = parts_of(*std::max_element(edges.begin(), edges.end()), spacing);
    sum += 0.5 * (n - 1.0) * (n - 2.0);
  }
  return sum;
}

}  // namespace

ClothSites::ClothSites(std::span<const TriangleCorners> triangles, std::span<const double> x,
                       double spacing, std::size_t most)
    : asked_(spacing), spacing_(spacing) {
  HAPTIC_DEMAND(spacing > 0.0);
  if (std::isfinite(spacing_)) {
    double longest = 0.0;
    for (const TriangleCorners& t : triangles) {
      for (const double edge : edges_of(t, x)) longest = std::max(longest, edge);
    }
    spacing_ = std::min(spacing_, longest);
    // Before it ends at the longest edge, where every triangle has its corners only.
    constexpr double kRaise = 1.05;
    while (spacing_ < longest && count_bound(triangles, x, spacing_) > static_cast<double>(most)) {
      spacing_ = std::min(longest, kRaise * spacing_);
    }
  }
  make(triangles, x);
}

void ClothSites::add(ClothSite site) {
  sites_.push_back(site);
  areas_.push_back(0.0);
}

// The parts of an edge are at most as many as the sites may be, or one.
void ClothSites::make(std::span<const TriangleCorners> triangles, std::span<const double> x) {
  struct Run {
    std::size_t first = 0, count = 0;
  };
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> of_particle(x.size() / 3, kNone);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Run> of_edge;
  for (const TriangleCorners& t : triangles) {
    first_.push_back(static_cast<std::uint32_t>(sites_.size()));
    const std::array<double, 3> lengths = edges_of(t, x);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]);
      if (of_particle[t[k]] == kNone) {
        of_particle[t[k]] = sites_.size();
        add({.particles = {t[k]}});
      }
      const auto n = static_cast<std::uint32_t>(parts_of(lengths[k], spacing_));
      if (!of_edge.try_emplace({a, b}, Run{sites_.size(), n - 1}).second) continue;
      for (std::uint32_t i = 1; i < n; ++i) {
        const double part = static_cast<double>(i) / n;
        add({.particles = {a, b}, .weights = {1.0 - part, part, 0.0}, .count = 2});
      }
    }
    const double longest = *std::max_element(lengths.begin(), lengths.end());
    const auto n = static_cast<std::uint32_t>(parts_of(longest, spacing_));
    const std::size_t inside = sites_.size();
    for (std::uint32_t i = 1; i + 1 < n; ++i) {
      for (std::uint32_t j = 1; i + j < n; ++j) {
        const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
        add({.particles = t, .weights = {1.0 - u - v, u, v}, .count = 3});
      }
    }

    // In a triangle divided evenly a corner touches one of the parts, a site on an edge three, one
    // inside six.
    std::vector<std::pair<Run, double>> runs = {{{inside, sites_.size() - inside}, 6.0}};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]);
      runs.push_back({{of_particle[t[k]], 1}, 1.0});
      runs.push_back({of_edge.at({a, b}), 3.0});
    }
    double sum = 0.0;
    for (const auto& [run, share] : runs) sum += share * static_cast<double>(run.count);
    const double area =
        0.5 * (at(x, t[1]) - at(x, t[0])).cross(at(x, t[2]) - at(x, t[0])).norm() / sum;
    for (const auto& [run, share] : runs) {
      for (std::size_t i = 0; i < run.count; ++i) areas_[run.first + i] += share * area;
    }
  }
  first_.push_back(static_cast<std::uint32_t>(sites_.size()));
}

Vector3 ClothSites::at_site(std::size_t k, std::span<const double> vectors) const HAPTIC_REALTIME {
  const ClothSite& site = sites_[k];
  Vector3 sum = site.weights[0] * at(vectors, site.particles[0]);
  for (std::uint32_t c = 1; c < site.count; ++c) {
    sum += site.weights[c] * at(vectors, site.particles[c]);
  }
  return sum;
}

std::string ClothSites::warning() const {
  if (!(spacing_ > asked_)) return {};
  return fmt::format(
      "the cloth is tested at points {:.3g} m apart, not {:.3g} m: a body thinner than that may "
      "pass between them",
      spacing_, asked_);
}

}  // namespace haptic::cloth

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/bake/verify_parts.h"
#include "host/field/surface_distance.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/model_field.h"
#include "rt/geometry/sparse_field.h"
#include "shared/artifact/model_file.h"

namespace haptic {
void verify_sparse_field(const ModelFile& model, const ModelAttributes& attributes,
                         VerifiedFigures& figures) {
  constexpr int kSamples = 4000;
  const SparseField field(model);
  const bool closed = number_attribute(attributes, model.path(), "/field.offset_m") == 0.0;
  if (!closed || !model.has("/surface/vertices")) return;
  const SurfaceDistance surface(surface_of(model));
  const GridView& grid = field.grid();
  std::mt19937_64 random(20261121);
  std::uniform_int_distribution<std::uint32_t> corner(0, field.resolution());
  double stored_error = 0.0, excess = 0.0;
  int stored = 0, wrong_sign = 0;
  for (int i = 0; i < 50 * kSamples && stored < kSamples; ++i) {
    const std::uint32_t x = corner(random), y = corner(random), z = corner(random);
    const bool is_stored = field.is_stored(x, y, z);
    if (!is_stored && i % 50 != 0) continue;
    const double exact =
        surface.signed_distance(Vector3(grid.lower) + grid.edge * Vector3(x, y, z));
    const double value = field.value(x, y, z);
    if (is_stored) {
      ++stored;
      stored_error = std::max(stored_error, std::abs(value - exact));
    } else {
      excess = std::max(excess, std::abs(value) - std::abs(exact));
      if ((value < 0.0) != (exact < 0.0)) ++wrong_sign;
    }
  }
  const double size = grid.upper[0] - grid.lower[0];
  figures.push_back({"sparse_field_stored", stored_error, 4e-7 * size, "m",
                     fmt::format("stored samples against the surface, {} of them", stored)});
  figures.push_back(
      {"sparse_field_bounds", excess, 4e-7 * size, "m",
       "excess of the bound of a block that is not stored over the smallest distance in it"});
  figures.push_back({"sparse_field_sign", static_cast<double>(wrong_sign), 0.0, "1",
                     "blocks that are not stored whose sign is not the surface's"});
}

void verify_proxies(const ModelFile& model, VerifiedFigures& figures) {
  constexpr int kSamples = 4000;
  const std::uint32_t r = model.reduced_dimension();
  const auto field = make_field(model, r);
  const auto rest = make_field(model, 0);
  const auto points = model.doubles("/field/proxies/points");
  double away = 0.0;
  for (std::size_t i = 0; i < points.size(); i += 3) {
    away = std::max(away, std::abs(rest->distance_and_gradient(Vector3(&points[i])).distance));
  }
  // Samples are off by sqrt(3)/2 voxels between corners at most.
  figures.push_back({"proxies_on_field", away, std::sqrt(3.0) * rest->edge(), "m",
                     fmt::format("distance of {} proxies from the field's zero level; limit "
                                 "sqrt(3) voxels",
                                 points.size() / 3)});
  if (model.has("/field/domains/values")) return;
  const DistanceField dense(model);
  const double side = dense.upper().x() - dense.lower().x();
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  double difference = 0.0;
  for (int i = 0; i < kSamples; ++i) {
    const Vector3 p = dense.lower() + side * Vector3(unit(random), unit(random), unit(random));
    difference = std::max(difference,
                          std::abs(field->distance_and_gradient(p).distance - dense.distance(p)));
  }
  figures.push_back(
      {"proxies_at_rest", difference, 1e-9 * side, "m",
       fmt::format("deformed field at rest against the rest field at {} points", kSamples)});
}

}  // namespace haptic

#include "rt/worlds/body_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {

namespace {

template <typename Number>
double furthest(std::span<const Number> xyz) {
  double radius2 = 0.0;
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    const Vector3 p(xyz[i], xyz[i + 1], xyz[i + 2]);
    radius2 = std::max(radius2, p.squaredNorm());
  }
  return std::sqrt(radius2);
}

// The body itself where its surface is known, else the box of its field.
double bounding_radius_of(const BodyModel& body) {
  if (body.file.has("/surface/vertices")) return furthest(body.file.doubles("/surface/vertices"));
  if (body.shell) return furthest(body.file.floats("/shell/points"));
  if (body.field)
    return body.field->lower().cwiseAbs().cwiseMax(body.field->upper().cwiseAbs()).norm();
  return 0.0;
}

RayleighDamping damping_of(const ModelFile& file) {
  const std::span<const double> values = file.doubles("/reduced/damping");
  return {values[0], values[1]};
}

}  // namespace

BodyModel::BodyModel(const std::filesystem::path& path) : file(path) {
  if (file.has("/shell/points")) {
    shell.emplace(file);
    tree.emplace(file);
  }
  if (file.has("/field/values")) field.emplace(file);
  if (file.reduced_dimension() > 0) {
    energy.emplace(file);
    damping = damping_of(file);
  }
  if (shell && shell->dimension() != dimension()) {
    throw InputError(path.string(), "/shell/displacement",
                     fmt::format("found {} reduced coordinates", shell->dimension()),
                     fmt::format("{}, as in /reduced", dimension()));
  }
  bounding_radius = bounding_radius_of(*this);
}

}  // namespace haptic

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "host/bake/verify_parts.h"
#include "host/field/surface_distance.h"
#include "host/mesh/winding_number.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/field_resolution.h"
#include "rt/geometry/model_field.h"
#include "rt/geometry/point_shell.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Points of the field's box, half of them within three voxels of the surface.
std::vector<Vector3> field_samples(const DistanceField& field, const TriangleMesh& mesh,
                                   int count) {
  std::mt19937_64 random(20261121);
  std::uniform_real_distribution<double> unit;
  // Outside the box the field is a lower bound only, and a coarse one ends within three voxels.
  const Vector3 inset = Vector3::Constant(1e-6 * field.edge());
  const Vector3 lowest = field.lower() + inset, highest = field.upper() - inset;
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i) {
    const Vector3 t(unit(random), unit(random), unit(random));
    if (i % 2 == 0) {
      points.push_back(field.lower() + t.cwiseProduct(field.upper() - field.lower()));
    } else {
      const auto v =
          static_cast<std::size_t>(unit(random) * static_cast<double>(mesh.vertices.size()));
      const Vector3 near = mesh.vertices[std::min(v, mesh.vertices.size() - 1)] +
                           6.0 * field.edge() * (t - Vector3::Constant(0.5));
      points.push_back(near.cwiseMax(lowest).cwiseMin(highest));
    }
  }
  return points;
}

/// The nearest corner off the box's faces: rounding can put a corner of a face outside the box,
/// where the field is a lower bound only.
Vector3 nearest_corner(const DistanceField& field, const Vector3& p) {
  const Vector3 index = ((p - field.lower()) / field.edge()).array().round();
  return field.lower() +
         field.edge() * index.cwiseMax(1.0).cwiseMin(static_cast<double>(field.resolution()) - 1.0);
}

void verify_closed_field(const DistanceField& field, const TriangleMesh& mesh,
                         VerifiedFigures& figures, const Progress& progress) {
  constexpr int kSamples = 4000;
  constexpr int kWindings = 200;
  const SurfaceDistance surface(mesh);
  double at_corners = 0.0, between = 0.0;
  int windings = 0, wrong_sign = 0, done = 0;
  const double size = (field.upper() - field.lower()).maxCoeff();
  for (const Vector3& p : field_samples(field, mesh, kSamples)) {
    if (progress && done % 50 == 0) progress(static_cast<double>(done) / kSamples);
    ++done;
    const Vector3 corner = nearest_corner(field, p);
    at_corners =
        std::max(at_corners, std::abs(field.distance(corner) - surface.signed_distance(corner)));
    between = std::max(between, std::abs(field.distance(p) - surface.signed_distance(p)));
    if (windings < kWindings && std::abs(field.distance(corner)) > 0.5 * field.edge()) {
      ++windings;
      const bool inside = std::abs(winding_number(mesh, corner)) > 0.5;
      if (inside != (field.distance(corner) < 0.0)) ++wrong_sign;
    }
  }
  // Float samples of distances below the box's size, and the rounding of finding a corner again.
  figures.push_back({"field_at_corners", at_corners, 4e-7 * size, "m",
                     fmt::format("field against the surface at {} voxel corners", kSamples)});
  figures.push_back(
      {"field_between_corners", between, field.interpolation_slack(), "m",
       fmt::format("field against the surface at {} points; limit sqrt(3) voxels", kSamples)});
  figures.push_back(
      {"field_sign", static_cast<double>(wrong_sign), 0.0, "1",
       fmt::format("corners of {} whose sign differs from the winding number", windings)});
}

void verify_offset_field(const DistanceField& field, const TriangleMesh& mesh, double offset,
                         double offset_voxel, VerifiedFigures& figures) {
  constexpr int kSamples = 4000;
  const SurfaceDistance surface(mesh);
  double worst = 0.0;
  int used = 0;
  for (const Vector3& p : field_samples(field, mesh, kSamples)) {
    const double d = field.distance(p);
    if (d < 0.0) continue;  // inside, the field also counts what the surface encloses
    ++used;
    worst = std::max(worst, std::abs(d - (surface.unsigned_distance(p) - offset)));
  }
  figures.push_back(
      {"field_outside_offset", worst, offset_voxel + field.interpolation_slack(), "m",
       fmt::format("field against distance less offset at {} outer points; limit one voxel of the "
                   "offset field and sqrt(3) of this one",
                   used)});
}

}  // namespace

TriangleMesh surface_of(const ModelFile& model) {
  TriangleMesh mesh;
  const auto vertices = model.doubles("/surface/vertices");
  const auto triangles = model.indices("/surface/triangles");
  for (std::size_t i = 0; i < vertices.size(); i += 3) mesh.vertices.emplace_back(&vertices[i]);
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    for (std::size_t j = i; j < i + 3; ++j) {
      if (triangles[j] >= mesh.vertices.size()) {
        throw InputError(model.path().string(), "/surface/triangles",
                         fmt::format("found vertex {}", triangles[j]),
                         fmt::format("less than {}", mesh.vertices.size()));
      }
    }
    mesh.triangles.push_back({triangles[i], triangles[i + 1], triangles[i + 2]});
  }
  return mesh;
}

void verify_field(const ModelFile& model, const ModelAttributes& attributes,
                  VerifiedFigures& figures, const Progress& progress) {
  const DistanceField field(model);
  if (model.has("/surface/vertices")) {
    const TriangleMesh mesh = surface_of(model);
    const double offset = number_attribute(attributes, model.path(), "/field.offset_m");
    if (offset == 0.0) {
      verify_closed_field(field, mesh, figures, progress);
    } else {
      verify_offset_field(field, mesh, offset,
                          number_attribute(attributes, model.path(), "/field.offset_voxel_m"),
                          figures);
    }
  }
  if (model.has("/shell/points")) {
    const PointShell shell(model);
    double away = 0.0;
    for (std::uint32_t s = 0; s < shell.size(); ++s) {
      away = std::max(away, std::abs(field.distance(shell.rest_position(s))));
    }
    figures.push_back({"shell_on_field", away, field.interpolation_slack(), "m",
                       fmt::format("largest distance of {} shell points from the field's zero "
                                   "level; limit sqrt(3) voxels",
                                   shell.size())});
  }
}

void verify_sight(const ModelFile& model, VerifiedFigures& figures) {
  if (!model.has("/surface/triangles")) return;
  const std::unique_ptr<SignedField> field = make_field(model, model.reduced_dimension());
  figures.push_back(
      {"field_resolution",
       unresolved_fraction(*field, model.doubles("/surface/vertices"),
                           model.indices("/surface/triangles")),
       kMaxUnresolvedFraction, "1",
       fmt::format("fraction of the surface on parts thinner than the field's voxel of {:.3g} mm, "
                   "which the field does not contain",
                   1e3 * field->edge())});
}

}  // namespace haptic

#include "host/window/picking.h"

#include <cmath>
#include <limits>

#include "host/view/shape_surface.h"

namespace haptic {
namespace {

Vector3 row(const SurfacePoints& points, std::size_t index) {
  return points.row(static_cast<Eigen::Index>(index)).transpose().cast<double>();
}

struct NearestTriangle {
  std::size_t first_corner = 0;
  TriangleHit hit{std::numeric_limits<double>::infinity(), Vector3::Zero()};
};

NearestTriangle nearest(const DisplaySurface& surface, const ViewRay& ray) {
  NearestTriangle best;
  for (std::size_t c = 0; c + 3 <= surface.indices.size(); c += 3) {
    const auto hit = meet(ray, row(surface.positions, surface.indices[c]),
                          row(surface.positions, surface.indices[c + 1]),
                          row(surface.positions, surface.indices[c + 2]));
    if (hit && hit->distance < best.hit.distance) best = {c, *hit};
  }
  return best;
}

}  // namespace

std::optional<TriangleHit> meet(const ViewRay& ray, const Vector3& a, const Vector3& b,
                                const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a;
  const Vector3 across = ray.direction.cross(ac);
  const double volume = ab.dot(across);
  if (std::abs(volume) < 1e-12 * ab.norm() * ac.norm()) return std::nullopt;  // edge on
  const Vector3 from = ray.origin - a;
  const double v = from.dot(across) / volume;
  const Vector3 normal = from.cross(ab);
  const double w = ray.direction.dot(normal) / volume;
  const double distance = ac.dot(normal) / volume;
  if (v < 0.0 || w < 0.0 || v + w > 1.0 || distance <= 0.0) return std::nullopt;
  return TriangleHit{distance, Vector3(1.0 - v - w, v, w)};
}

std::optional<PickedPoint> pick(const SceneFrame& frame, const ViewRay& ray) {
  std::optional<PickedPoint> picked;
  double distance = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const FrameBody& body = frame.bodies[b];
    const auto* shape = std::get_if<AnalyticShape>(&body.model);
    std::optional<ModelFile> model;
    if (shape == nullptr) model.emplace(std::get<std::filesystem::path>(body.model));
    const NearestTriangle found = nearest(
        shape != nullptr ? shape_surface(*shape, body.pose) : deformed_surface(*model, body), ray);
    if (!(found.hit.distance < distance)) continue;
    distance = found.hit.distance;
    PickedPoint point{b, ray.origin + distance * ray.direction, Vector3::Zero()};
    if (model) {
      const auto rest = model->doubles("/surface/vertices");
      const auto triangles = model->indices("/surface/triangles");
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t v = triangles[found.first_corner + k];
        point.rest += found.hit.weights[static_cast<Eigen::Index>(k)] *
                      Eigen::Map<const Vector3>(&rest[3 * v]);
      }
    } else {
      point.rest = body.pose.orientation.conjugate() * (point.world - body.pose.position);
    }
    picked = point;
  }
  return picked;
}

}  // namespace haptic

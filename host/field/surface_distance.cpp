#include "host/field/surface_distance.h"

#if HAPTIC_EMBREE == 3
#include <embree3/rtcore.h>
#else
#include <embree4/rtcore.h>
#endif

#include <algorithm>
#include <cmath>

#include "host/field/feature_normals.h"
#include "host/mesh/winding_number.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// Embree works in float on rounded coordinates; searching this much further (relative to the size
/// of the scene, some ten float roundings) makes sure that no nearest triangle is missed.
constexpr double kSearchSlack = 2e-6;

/// A triangle in the form that the distance computation takes.
struct Corner {
  Vector3 a, ab, ac;
};

/// Point of a triangle nearest to p, with the feature that contains it.
struct Foot {
  Vector3 point;
  int part;  ///< 0 face; 1, 2, 3 edges ab, bc, ca; 4, 5, 6 vertices a, b, c
};

/// Regions of the plane by barycentric signs (Ericson 2005, 5.1.5).
Foot foot_on_triangle(const Vector3& p, const Corner& t) {
  const Vector3 ap = p - t.a;
  const double d1 = t.ab.dot(ap);
  const double d2 = t.ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return {t.a, 4};

  const Vector3 bp = ap - t.ab;
  const double d3 = t.ab.dot(bp);
  const double d4 = t.ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return {t.a + t.ab, 5};

  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return {t.a + d1 / (d1 - d3) * t.ab, 1};

  const Vector3 cp = ap - t.ac;
  const double d5 = t.ab.dot(cp);
  const double d6 = t.ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return {t.a + t.ac, 6};

  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return {t.a + d2 / (d2 - d6) * t.ac, 3};

  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {t.a + t.ab + s * (t.ac - t.ab), 2};
  }
  const double scale = 1.0 / (va + vb + vc);
  return {t.a + vb * scale * t.ab + vc * scale * t.ac, 0};
}

double squared_distance(const Vector3& p, const Corner& t) {
  return (foot_on_triangle(p, t).point - p).squaredNorm();
}

}  // namespace

struct SurfaceDistance::Data {
  TriangleMesh mesh;
  FeatureNormals normals;
  std::vector<Corner> corners;          ///< per triangle
  std::vector<std::uint32_t> searched;  ///< triangle of each primitive of the scene
  Vector3 centre = Vector3::Zero();     ///< origin of the scene's float coordinates
  double extent = 0.0;                  ///< diagonal of the bounding box
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  ~Data() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }

  void build_scene();
  std::uint32_t find(const Vector3& p, std::uint32_t hint) const;
};

void SurfaceDistance::Data::build_scene() {
  device = rtcNewDevice(nullptr);
  if (device == nullptr) throw OperationError("Embree: cannot create a device");
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* positions = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                              3 * sizeof(float), mesh.vertices.size()));
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    for (int axis = 0; axis < 3; ++axis) {
      positions[3 * v + static_cast<std::size_t>(axis)] =
          static_cast<float>(mesh.vertices[v][axis] - centre[axis]);
    }
  }
  auto* indices = static_cast<std::uint32_t*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                              3 * sizeof(std::uint32_t), searched.size()));
  for (std::size_t i = 0; i < searched.size(); ++i) {
    std::copy_n(mesh.triangles[searched[i]].begin(), 3, indices + 3 * i);
  }
  rtcCommitGeometry(geometry);
  scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  rtcAttachGeometry(scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene);
  if (rtcGetDeviceError(device) != RTC_ERROR_NONE) {
    throw OperationError("Embree: cannot build the search tree of the surface");
  }
}

std::uint32_t SurfaceDistance::Data::find(const Vector3& p, std::uint32_t hint) const {
  struct Search {
    const Data* data;
    Vector3 p;
    double slack;
    double best;
    std::uint32_t triangle;

    float radius() const { return static_cast<float>(std::sqrt(best) * (1.0 + 1e-6) + slack); }
  };
  const Vector3 local = p - centre;
  Search search{this, p, kSearchSlack * (extent + local.norm()), squared_distance(p, corners[hint]),
                hint};

  RTCPointQuery query;
  query.x = static_cast<float>(local.x());
  query.y = static_cast<float>(local.y());
  query.z = static_cast<float>(local.z());
  query.time = 0.0f;
  query.radius = search.radius();
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(
      scene, &query, &context,
      [](RTCPointQueryFunctionArguments* arguments) {
        auto& s = *static_cast<Search*>(arguments->userPtr);
        const std::uint32_t triangle = s.data->searched[arguments->primID];
        const double d = squared_distance(s.p, s.data->corners[triangle]);
        if (d > s.best || (d == s.best && triangle >= s.triangle)) return false;
        const bool nearer = d < s.best;
        s.best = d;
        s.triangle = triangle;
        if (!nearer) return false;
        arguments->query->radius = s.radius();
        return true;
      },
      &search);
  return search.triangle;
}

SurfaceDistance::SurfaceDistance(const TriangleMesh& mesh) : data_(std::make_unique<Data>()) {
  Data& d = *data_;
  d.mesh = mesh;
  d.normals = feature_normals(mesh);
  d.corners.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    const Vector3& a = mesh.vertices[t[0]];
    d.corners.push_back({a, mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a});
  }
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!d.normals.face[t].isZero()) d.searched.push_back(t);
  }
  if (d.searched.empty()) {
    throw InputError("surface", "", "found no triangle with an area", "a surface");
  }
  const BoundingBox box = bounding_box(mesh);
  d.centre = box.centre();
  d.extent = box.size().norm();
  d.build_scene();
}

SurfaceDistance::SurfaceDistance(SurfaceDistance&&) noexcept = default;
SurfaceDistance& SurfaceDistance::operator=(SurfaceDistance&&) noexcept = default;
SurfaceDistance::~SurfaceDistance() = default;

const TriangleMesh& SurfaceDistance::mesh() const {
  return data_->mesh;
}

NearestPoint SurfaceDistance::nearest(const Vector3& p) const {
  return nearest(p, data_->searched.front());
}

NearestPoint SurfaceDistance::nearest(const Vector3& p, std::uint32_t hint) const {
  if (data_->normals.face[hint].isZero()) hint = data_->searched.front();
  return nearest_on_triangle(p, data_->find(p, hint));
}

NearestPoint SurfaceDistance::nearest_on_triangle(const Vector3& p, std::uint32_t triangle) const {
  const Data& d = *data_;
  const Foot foot = foot_on_triangle(p, d.corners[triangle]);
  NearestPoint nearest;
  nearest.point = foot.point;
  nearest.distance = (foot.point - p).norm();
  nearest.triangle = triangle;
  if (foot.part == 0) {
    nearest.feature = SurfaceFeature::kFace;
    nearest.pseudonormal = d.normals.face[triangle];
  } else if (foot.part <= 3) {
    const std::size_t edge =
        3 * static_cast<std::size_t>(triangle) + static_cast<std::size_t>(foot.part - 1);
    nearest.feature = SurfaceFeature::kEdge;
    nearest.pseudonormal = d.normals.edge[edge];
    nearest.ambiguous = d.normals.edge_ambiguous[edge];
  } else {
    const std::uint32_t vertex =
        d.mesh.triangles[triangle][static_cast<std::size_t>(foot.part - 4)];
    nearest.feature = SurfaceFeature::kVertex;
    nearest.pseudonormal = d.normals.vertex[vertex];
    nearest.ambiguous = d.normals.vertex_ambiguous[vertex];
  }
  return nearest;
}

double SurfaceDistance::unsigned_distance(const Vector3& p) const {
  return nearest(p).distance;
}

double SurfaceDistance::signed_distance(const Vector3& p) const {
  return signed_distance(p, nearest(p));
}

double SurfaceDistance::signed_distance(const Vector3& p, const NearestPoint& nearest) const {
  const bool inside = nearest.ambiguous ? winding_number(data_->mesh, p) > 0.5
                                        : (p - nearest.point).dot(nearest.pseudonormal) < 0.0;
  return inside ? -nearest.distance : nearest.distance;
}

}  // namespace haptic

#include "host/view/gltf_export.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "host/view/body_colours.h"
#include "host/view/deformed_surface.h"
#include "host/view/display_basis.h"
#include "host/view/gltf_writer.h"
#include "host/view/sampled_motion.h"
#include "host/view/shape_surface.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxShapes = 128;
constexpr double kToleranceOfExtent = 1.0 / 2000.0;
/// The decomposition costs this number squared times the vertices.
constexpr double kMaxSamples = 20000.0;
/// Share of the time until the frames are read.
constexpr double kFramesShare = 0.7;

using nlohmann::json;

/// Vertices, triangles and morph targets of one body.
struct MorphMesh {
  std::vector<float> positions, normals;  ///< 3 per vertex; normals may be absent
  std::vector<std::uint32_t> indices;
  Eigen::MatrixXf shapes, normal_shapes;  ///< 3v x k
  Eigen::MatrixXf weights;                ///< k x samples
  double error = 0.0;
};

MorphMesh reduced_mesh(const ModelFile& model, std::size_t body,
                       const std::vector<SceneFrame>& frames) {
  MorphMesh mesh;
  std::size_t r = model.reduced_dimension();
  if (has_display_basis(model)) {
    DisplayBasis basis = make_display_basis(model);
    const auto rows = static_cast<Eigen::Index>(basis.positions.size());
    using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto columns = static_cast<Eigen::Index>(r);
    mesh.shapes = Eigen::Map<const RowMajor>(basis.displacement.data(), rows, columns);
    mesh.normal_shapes = Eigen::Map<const RowMajor>(basis.normal_correction.data(), rows, columns);
    mesh.positions = std::move(basis.positions);
    mesh.normals = std::move(basis.normals);
    mesh.indices = std::move(basis.indices);
  } else {
    // Without a volume mesh: no normals, which a viewer then takes from the triangles.
    const auto vertices = model.doubles("/surface/vertices");
    const auto triangles = model.indices("/surface/triangles");
    mesh.positions.assign(vertices.begin(), vertices.end());
    mesh.indices.assign(triangles.begin(), triangles.end());
    const auto rows = static_cast<Eigen::Index>(vertices.size());
    r = 0;
    if (rows > 0 && model.has("/surface/basis")) {
      const auto U = model.floats("/surface/basis");
      r = U.size() / vertices.size();
      using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      mesh.shapes = Eigen::Map<const RowMajor>(U.data(), rows, static_cast<Eigen::Index>(r));
    }
  }
  mesh.weights.setZero(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(frames.size()));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::vector<double>& q = frames[i].bodies[body].coordinates;
    if (q.size() > r) {
      throw InputError(model.path().string(), "/surface/basis", fmt::format("found {} columns", r),
                       fmt::format("one for each of {} coordinates", q.size()));
    }
    for (std::size_t j = 0; j < q.size(); ++j) {
      mesh.weights(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) =
          static_cast<float>(q[j]);
    }
  }
  return mesh;
}

MorphMesh sampled_mesh(const ModelFile& model, std::size_t body,
                       const std::vector<SceneFrame>& frames) {
  const auto triangles = model.indices("/surface/triangles");
  const std::size_t vertices = frames.front().bodies[body].surface.size();
  if (3 * vertices != model.doubles("/surface/vertices").size()) {
    throw InputError(model.path().string(), "/surface/vertices",
                     fmt::format("found {}", model.doubles("/surface/vertices").size() / 3),
                     fmt::format("the {} vertices of the log", vertices));
  }
  if (12 * vertices * frames.size() > GltfWriter::kMaxBytes) {
    throw OperationError(fmt::format("{} samples of {} vertices exceed {} MiB; fewer --fps",
                                     frames.size(), vertices, GltfWriter::kMaxBytes >> 20));
  }
  Eigen::MatrixXf samples(static_cast<Eigen::Index>(3 * vertices),
                          static_cast<Eigen::Index>(frames.size()));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::vector<Vector3>& surface = frames[i].bodies[body].surface;
    for (std::size_t v = 0; v < vertices; ++v) {
      samples.block<3, 1>(static_cast<Eigen::Index>(3 * v), static_cast<Eigen::Index>(i)) =
          surface[v].cast<float>();
    }
  }
  const Eigen::Map<const Eigen::Matrix3Xf> first(samples.data(), 3,
                                                 static_cast<Eigen::Index>(vertices));
  const double extent = (first.rowwise().maxCoeff() - first.rowwise().minCoeff()).norm();
  SampledMotion motion =
      decompose_motion(samples, std::max(kToleranceOfExtent * extent, 1e-9), kMaxShapes);
  MorphMesh mesh;
  mesh.positions.assign(motion.mean.data(), motion.mean.data() + motion.mean.size());
  mesh.indices.assign(triangles.begin(), triangles.end());
  mesh.shapes = std::move(motion.shapes);
  mesh.weights = std::move(motion.weights);
  mesh.error = motion.error;
  return mesh;
}

std::size_t add_mesh(GltfWriter& gltf, const std::string& name, const MorphMesh& mesh,
                     std::size_t material) {
  json primitive = {{"attributes", {{"POSITION", gltf.add_vertices(mesh.positions)}}},
                    {"indices", gltf.add_indices(mesh.indices)},
                    {"material", material}};
  if (!mesh.normals.empty()) {
    primitive["attributes"]["NORMAL"] = gltf.add_numbers(mesh.normals, 3, false);
  }
  for (Eigen::Index j = 0; j < mesh.shapes.cols(); ++j) {
    const auto column = [](const Eigen::MatrixXf& m, Eigen::Index c) {
      return std::span<const float>(m.col(c).data(), static_cast<std::size_t>(m.rows()));
    };
    json target = {{"POSITION", gltf.add_vertices(column(mesh.shapes, j))}};
    if (mesh.normal_shapes.size() > 0) {
      target["NORMAL"] = gltf.add_numbers(column(mesh.normal_shapes, j), 3, false);
    }
    primitive["targets"].push_back(std::move(target));
  }
  json object = {{"name", name}, {"primitives", json::array({std::move(primitive)})}};
  if (mesh.shapes.cols() > 0) {
    object["weights"] = std::vector<float>(static_cast<std::size_t>(mesh.shapes.cols()), 0.0F);
  }
  json& meshes = gltf.root()["meshes"];
  meshes.push_back(std::move(object));
  return meshes.size() - 1;
}

std::size_t add_material(GltfWriter& gltf, std::size_t body) {
  const auto& c = body_colour(body);
  json& materials = gltf.root()["materials"];
  materials.push_back({{"pbrMetallicRoughness",
                        {{"baseColorFactor", {c[0], c[1], c[2], 1.0F}},
                         {"metallicFactor", 0.0},
                         {"roughnessFactor", 0.6}}},
                       {"doubleSided", true}});
  return materials.size() - 1;
}

void add_channel(GltfWriter& gltf, std::size_t times, std::size_t values, std::size_t node,
                 const char* path) {
  json& animation = gltf.root()["animations"][0];
  animation["channels"].push_back(
      {{"sampler", animation["samplers"].size()}, {"target", {{"node", node}, {"path", path}}}});
  animation["samplers"].push_back({{"input", times}, {"output", values}});
}

/// Translation and rotation of the node over time. Neighbouring quaternions get the same
/// hemisphere, so that interpolation takes the short way.
void animate_pose(GltfWriter& gltf, std::size_t times, std::size_t node, std::size_t body,
                  const std::vector<SceneFrame>& frames) {
  std::vector<float> places, turns;
  Eigen::Vector4f before = Eigen::Vector4f::Zero();
  for (const SceneFrame& frame : frames) {
    const Pose& pose = frame.bodies[body].pose;
    for (int i = 0; i < 3; ++i) places.push_back(static_cast<float>(pose.position[i]));
    Eigen::Vector4f turn = pose.orientation.coeffs().normalized().cast<float>();  // x, y, z, w
    if (turn.dot(before) < 0.0F) turn = -turn;
    turns.insert(turns.end(), turn.data(), turn.data() + 4);
    before = turn;
  }
  json& object = gltf.root()["nodes"][node];
  object["translation"] = std::vector<float>(places.begin(), places.begin() + 3);
  object["rotation"] = std::vector<float>(turns.begin(), turns.begin() + 4);
  add_channel(gltf, times, gltf.add_numbers(places, 3, true), node, "translation");
  add_channel(gltf, times, gltf.add_numbers(turns, 4, true), node, "rotation");
}

MorphMesh mesh_of(const FrameBody& body, std::size_t index, const std::vector<SceneFrame>& frames) {
  if (const auto* shape = std::get_if<AnalyticShape>(&body.model)) {
    const DisplaySurface surface = shape_surface(*shape, Pose{});
    MorphMesh mesh;
    mesh.positions.assign(surface.positions.data(),
                          surface.positions.data() + surface.positions.size());
    mesh.normals.assign(surface.normals.data(), surface.normals.data() + surface.normals.size());
    mesh.indices = surface.indices;
    return mesh;
  }
  const ModelFile model(std::get<std::filesystem::path>(body.model));
  return body.surface.empty() ? reduced_mesh(model, index, frames)
                              : sampled_mesh(model, index, frames);
}

}  // namespace

GltfOutcome export_gltf(FrameSource& run, const GltfSettings& settings,
                        const std::filesystem::path& path) {
  const FrameTimes& at = settings.times;
  const double count = std::floor((run.last_s() - at.first_s) * at.images_a_second) + 1.0;
  if (count > kMaxSamples) {
    throw InputError("--fps", "", fmt::format("found {:g} samples", count),
                     fmt::format("at most {:g}; --fps and --at choose them", kMaxSamples));
  }
  std::vector<SceneFrame> frames;
  std::vector<float> times;
  run.frames(
      at,
      [&](double time_s, SceneFrame frame) {
        const auto seconds = static_cast<float>(time_s - at.first_s);
        if (!times.empty() && seconds <= times.back()) return;  // of the same row: a gap in the log
        frames.push_back(std::move(frame));
        times.push_back(seconds);
      },
      part_of(settings.progress, 0.0, kFramesShare));

  GltfWriter gltf;
  gltf.root()["animations"] = json::array(
      {json{{"name", "log"}, {"channels", json::array()}, {"samplers", json::array()}}});
  GltfOutcome outcome;
  outcome.samples = frames.size();
  const std::size_t time_accessor = gltf.add_numbers(times, 1, true);
  std::vector<std::size_t> roots;
  for (std::size_t b = 0; b < frames.front().bodies.size(); ++b) {
    if (settings.progress) {
      settings.progress(kFramesShare + (1.0 - kFramesShare) * static_cast<double>(b) /
                                           static_cast<double>(frames.front().bodies.size()));
    }
    const FrameBody& body = frames.front().bodies[b];
    const MorphMesh mesh = mesh_of(body, b, frames);
    if (mesh.indices.empty()) continue;
    const std::size_t node = roots.size();
    roots.push_back(node);
    gltf.root()["nodes"].push_back(
        {{"name", body.name}, {"mesh", add_mesh(gltf, body.name, mesh, add_material(gltf, b))}});
    if (body.surface.empty()) {
      animate_pose(gltf, time_accessor, node, b, frames);
    } else {
      outcome.sampled.push_back(
          {body.name, static_cast<std::size_t>(mesh.shapes.cols()), mesh.error});
    }
    if (mesh.shapes.cols() == 0) continue;
    // Column-major k x samples: the weights of one sample after the other, as glTF has them.
    const std::span<const float> weights(mesh.weights.data(),
                                         static_cast<std::size_t>(mesh.weights.size()));
    add_channel(gltf, time_accessor, gltf.add_numbers(weights, 1, true), node, "weights");
  }
  if (roots.empty()) throw OperationError("there is nothing to draw: no body has a surface");
  if (gltf.root()["animations"][0]["channels"].empty()) gltf.root().erase("animations");
  gltf.root()["scenes"] = json::array({json{{"nodes", roots}}});
  gltf.root()["scene"] = 0;
  gltf.write(path);
  outcome.bytes = gltf.bytes();
  return outcome;
}

}  // namespace haptic

#include "rt/worlds/condensed/modal_rotations.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <array>
#include <span>

#include "shared/error.h"
#include "shared/math/pose.h"

namespace haptic::condensed {

namespace {

constexpr std::uint32_t kFixedVertex = CondensedModel::kFixedNode, kInnerVertex = kFixedVertex - 1;

/// For each mesh vertex its condensed node, kFixedVertex or kInnerVertex.
std::vector<std::uint32_t> nodes_of_vertices(const ModelFile& file) {
  const std::size_t vertices = file.doubles("/mesh/vertices").size() / 3;
  std::vector<std::uint32_t> nodes(vertices, kInnerVertex);
  const auto mark = [&](const char* section, auto value_of) {
    const std::span<const std::uint32_t> listed = file.indices(section);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (listed[i] >= vertices) {
        throw InputError(file.path().string(), section, fmt::format("found vertex {}", listed[i]),
                         fmt::format("one below {}", vertices));
      }
      nodes[listed[i]] = value_of(i);
    }
  };
  mark("/mesh/fixed", [](std::size_t) { return kFixedVertex; });
  mark("/condensed/nodes", [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  return nodes;
}

/// The corners of an element about their centre, and the inverse of their second moments.
class Corners {
 public:
  Corners(std::span<const double> vertices, std::span<const std::uint32_t> element)
      : count_(element.size()) {
    Vector3 centre = Vector3::Zero();
    for (std::size_t k = 0; k < count_; ++k) {
      const double* const x = &vertices[3 * std::size_t{element[k]}];
      arms_[k] = {x[0], x[1], x[2]};
      centre += arms_[k] / static_cast<double>(count_);
    }
    Matrix3 moments = Matrix3::Zero();
    for (std::size_t k = 0; k < count_; ++k) {
      arms_[k] -= centre;
      moments += arms_[k] * arms_[k].transpose();
    }
    inverse_ = moments.inverse();
  }
  /// Half the curl of the nearest affine map. @param u  displacement of each corner
  Vector3 rotation(const std::array<Vector3, 8>& u) const {
    Matrix3 gradient = Matrix3::Zero();
    for (std::size_t k = 0; k < count_; ++k) gradient += u[k] * arms_[k].transpose();
    gradient *= inverse_;
    return 0.5 * Vector3(gradient(2, 1) - gradient(1, 2), gradient(0, 2) - gradient(2, 0),
                         gradient(1, 0) - gradient(0, 1));
  }

 private:
  std::size_t count_;
  std::array<Vector3, 8> arms_;
  Matrix3 inverse_;
};

}  // namespace

std::vector<double> modal_rotations(const ModelFile& file, const CondensedModel& model,
                                    std::size_t modes) {
  const bool cubes = file.has("/mesh/elements");
  const char* const section = cubes ? "/mesh/elements" : "/mesh/tetrahedra";
  const std::size_t corners = cubes ? 8 : 4, s = model.dof();
  const std::span<const double> vertices = file.doubles("/mesh/vertices");
  const std::span<const std::uint32_t> elements = file.indices(section);
  const std::vector<std::uint32_t> nodes = nodes_of_vertices(file);
  std::vector<double> rotations(modes * s, 0.0);
  std::vector<double> count(s / 3, 0.0);
  for (std::size_t e = 0; e + corners <= elements.size(); e += corners) {
    const std::span<const std::uint32_t> element = elements.subspan(e, corners);
    bool whole = true;
    for (const std::uint32_t v : element) {
      if (v >= nodes.size()) {
        throw InputError(file.path().string(), section, fmt::format("found vertex {}", v),
                         fmt::format("one below {}", nodes.size()));
      }
      whole = whole && nodes[v] != kInnerVertex;
    }
    if (!whole) continue;
    const Corners shape(vertices, element);
    for (const std::uint32_t v : element) {
      if (nodes[v] != kFixedVertex) count[nodes[v]] += 1.0;
    }
    for (std::size_t mode = 0; mode < modes; ++mode) {
      std::array<Vector3, 8> u;
      for (std::size_t k = 0; k < corners; ++k) {
        u[k].setZero();
        if (nodes[element[k]] == kFixedVertex) continue;
        for (std::size_t a = 0; a < 3; ++a) {
          u[k][static_cast<Eigen::Index>(a)] =
              model.modes[(3 * std::size_t{nodes[element[k]]} + a) * model.mode_count + mode];
        }
      }
      const Vector3 turn = shape.rotation(u);
      for (const std::uint32_t v : element) {
        if (nodes[v] == kFixedVertex) continue;
        for (std::size_t a = 0; a < 3; ++a) {
          rotations[mode * s + 3 * std::size_t{nodes[v]} + a] += turn[static_cast<Eigen::Index>(a)];
        }
      }
    }
  }
  for (std::size_t node = 0; node < count.size(); ++node) {
    if (!(count[node] > 0.0)) {
      throw InputError(file.path().string(), section,
                       fmt::format("found no element about condensed node {} whose corners are all "
                                   "condensed or fixed",
                                   node),
                       "the boundary elements of /condensed/nodes");
    }
    for (std::size_t mode = 0; mode < modes; ++mode) {
      for (std::size_t a = 0; a < 3; ++a) rotations[mode * s + 3 * node + a] /= count[node];
    }
  }
  return rotations;
}

}  // namespace haptic::condensed

#include "host/fem/loose_part.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "host/fem/disjoint_sets.h"

namespace haptic {
namespace {

// VTK order; only which corners make a face matters here.
constexpr std::array<std::array<std::size_t, 4>, 6> kHexahedronFaces = {
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
// A triangle names its last corner twice, so that both kinds of face have four.
constexpr std::array<std::array<std::size_t, 4>, 4> kTetrahedronFaces = {
    {{0, 2, 1, 1}, {0, 1, 3, 3}, {1, 2, 3, 3}, {0, 3, 2, 2}}};

/// Elements joined through faces.
DisjointSets join_faces(const SolidMesh& mesh) {
  using Face = std::pair<std::array<std::uint32_t, 4>, std::uint32_t>;  // sorted corners, element
  std::vector<Face> faces;
  const auto add = [&](const auto& table) {
    faces.reserve(table.size() * static_cast<std::size_t>(mesh.element_count()));
    for (int e = 0; e < mesh.element_count(); ++e) {
      const auto corners = mesh.element(e);
      for (const auto& face : table) {
        std::array<std::uint32_t, 4> ids{};
        for (std::size_t a = 0; a < 4; ++a) ids[a] = corners[face[a]];
        if (ids[2] == ids[3]) ids[3] = *std::max_element(ids.begin(), ids.end());
        std::sort(ids.begin(), ids.end());
        faces.emplace_back(ids, static_cast<std::uint32_t>(e));
      }
    }
  };
  mesh.kind() == ElementKind::kHexahedron ? add(kHexahedronFaces) : add(kTetrahedronFaces);
  std::sort(faces.begin(), faces.end());
  DisjointSets sets(static_cast<std::size_t>(mesh.element_count()));
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i].first == faces[i - 1].first) sets.join(faces[i].second, faces[i - 1].second);
  }
  return sets;
}

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Motion = Eigen::Matrix<double, 3, 6>;

// As StvkModel::free_rigid_motions: of the Gram matrix of motions at vertices, in body sizes.
constexpr double kFree = 1e-9;
// Dense eigenvectors of six times as many unknowns.
constexpr std::size_t kMaxBodies = 200;

/// Bodies that move rigidly when nothing is strained: sets of elements, each named by its first.
/// The fixed vertices are one more body, the ground.
class RigidParts {
 public:
  RigidParts(const SolidMesh& mesh, std::span<const std::uint32_t> held, DisjointSets elements)
      : mesh_(mesh),
        ground_(static_cast<std::uint32_t>(mesh.element_count())),
        bodies_(static_cast<std::size_t>(mesh.element_count()) + 1),
        bodies_at_(static_cast<std::size_t>(mesh.vertex_count())),
        centre_(0.5 * (mesh.lower() + mesh.upper())),
        size_((mesh.upper() - mesh.lower()).maxCoeff()) {
    for (std::uint32_t e = 0; e < ground_; ++e) {
      bodies_.join(e, elements.root(e));
      for (const std::uint32_t v : mesh.element(static_cast<int>(e))) {
        bodies_at_[v].insert(elements.root(e));
      }
    }
    for (const std::uint32_t v : held) bodies_at_[v].insert(ground_);
  }

  /// Joins bodies that share three or more vertices that are not collinear.
  void join_what_is_rigid() {
    for (bool joined = true; joined;) {
      joined = false;
      for (const auto& [pair, gram] : common_vertices()) {
        const auto values =
            Eigen::SelfAdjointEigenSolver<Matrix6>(gram, Eigen::EigenvaluesOnly).eigenvalues();
        if (values[0] > kFree) joined = bodies_.join(pair.first, pair.second) || joined;
      }
    }
  }

  /// Bodies of a piece that are not part of the ground.
  std::vector<std::uint32_t> loose_bodies(const std::vector<std::uint32_t>& elements) {
    std::set<std::uint32_t> roots;
    for (const std::uint32_t e : elements) {
      if (bodies_.root(e) != bodies_.root(ground_)) roots.insert(bodies_.root(e));
    }
    return {roots.begin(), roots.end()};
  }

  /// Participation of each body in the motions without strain, and the number of these motions.
  std::pair<Eigen::VectorXd, int> mechanism(const std::vector<std::uint32_t>& loose) {
    const auto count = static_cast<Eigen::Index>(loose.size());
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(6 * count, 6 * count);
    const auto place = [&](std::uint32_t body) -> Eigen::Index {
      const auto found = std::find(loose.begin(), loose.end(), body);
      return found == loose.end() ? -1 : 6 * (found - loose.begin());
    };
    for (const auto& [pair, gram] : common_vertices()) {
      const Eigen::Index a = place(pair.first), b = place(pair.second);
      if (a >= 0) normal.block<6, 6>(a, a) += gram;
      if (b >= 0) normal.block<6, 6>(b, b) += gram;
      if (a < 0 || b < 0) continue;
      normal.block<6, 6>(a, b) -= gram;
      normal.block<6, 6>(b, a) -= gram;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(normal);
    const auto motions = static_cast<int>((eigen.eigenvalues().array() <= kFree).count());
    Eigen::VectorXd participation(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      participation[i] = eigen.eigenvectors().block(6 * i, 0, 6, motions).squaredNorm();
    }
    return {participation, motions};
  }

  std::uint32_t body_of(std::uint32_t element) { return bodies_.root(element); }

 private:
  /// Gram matrices of the rigid motions at the vertices that two bodies share.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Matrix6> common_vertices() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Matrix6> pairs;
    for (std::size_t v = 0; v < bodies_at_.size(); ++v) {
      if (bodies_at_[v].size() < 2) continue;
      std::set<std::uint32_t> roots;
      for (const std::uint32_t body : bodies_at_[v]) roots.insert(bodies_.root(body));
      Motion motion;
      const Vector3 x = (mesh_.vertex(static_cast<int>(v)) - centre_) / size_;
      motion << Eigen::Matrix3d::Identity(), skew(x);
      for (auto a = roots.begin(); a != roots.end(); ++a) {
        for (auto b = std::next(a); b != roots.end(); ++b) {
          pairs.try_emplace({*a, *b}, Matrix6::Zero()).first->second += motion.transpose() * motion;
        }
      }
      bodies_at_[v] = std::move(roots);
    }
    return pairs;
  }

  const SolidMesh& mesh_;
  std::uint32_t ground_;
  DisjointSets bodies_;
  std::vector<std::set<std::uint32_t>> bodies_at_;  // of a vertex
  Vector3 centre_;
  double size_;
};

}  // namespace

std::optional<LoosePart> find_loose_part(const SolidMesh& mesh,
                                         std::span<const std::uint32_t> held) {
  const auto elements = static_cast<std::uint32_t>(mesh.element_count());
  DisjointSets by_face = join_faces(mesh);
  bool one = true;
  for (std::uint32_t e = 1; e < elements && one; ++e) one = by_face.root(e) == by_face.root(0);
  if (one) return std::nullopt;

  DisjointSets by_vertex(elements);
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> element_of(static_cast<std::size_t>(mesh.vertex_count()), kNone);
  for (std::uint32_t e = 0; e < elements; ++e) {
    for (const std::uint32_t v : mesh.element(static_cast<int>(e))) {
      if (element_of[v] == kNone) element_of[v] = e;
      by_vertex.join(e, element_of[v]);
    }
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> pieces;  // elements by their first
  for (std::uint32_t e = 0; e < elements; ++e) pieces[by_vertex.root(e)].push_back(e);
  std::set<std::uint32_t> held_pieces;
  for (const std::uint32_t v : held) held_pieces.insert(by_vertex.root(element_of[v]));
  if (held.empty()) {
    const auto largest = std::max_element(pieces.begin(), pieces.end(), [](auto& a, auto& b) {
      return a.second.size() < b.second.size();
    });
    held_pieces.insert(largest->first);
  }
  for (const auto& [first, piece] : pieces) {
    if (held_pieces.contains(first)) continue;
    return LoosePart{LoosePart::Why::kNotHeld, first, piece.size(), pieces.size()};
  }

  RigidParts parts(mesh, held, by_face);
  parts.join_what_is_rigid();
  for (const auto& [first, piece] : pieces) {
    const std::vector<std::uint32_t> loose = parts.loose_bodies(piece);
    const std::size_t own_motions = held.empty() ? 6 : 0;
    if (loose.size() <= own_motions / 6 || loose.size() > kMaxBodies) continue;
    const auto [participation, motions] = parts.mechanism(loose);
    if (static_cast<std::size_t>(motions) <= own_motions) continue;
    std::map<std::uint32_t, std::size_t> sizes;
    for (const std::uint32_t e : piece) ++sizes[parts.body_of(e)];
    // In a free piece every body moves: the smallest one is reported.
    std::uint32_t worst = loose[0];
    for (std::size_t i = 1; i < loose.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const auto best = std::find(loose.begin(), loose.end(), worst) - loose.begin();
      const bool more =
          held.empty() ? sizes[loose[i]] < sizes[worst] : participation[at] > participation[best];
      if (more) worst = loose[i];
    }
    const bool hinged = sizes.size() > 1;
    return LoosePart{hinged ? LoosePart::Why::kHinged : LoosePart::Why::kTurns, worst, sizes[worst],
                     pieces.size()};
  }
  return std::nullopt;
}

}  // namespace haptic

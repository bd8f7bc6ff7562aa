#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Bounded-deformation tree over points that move by u = U q (James & Pai 2004;
/// docs/methods/reduced-dynamics.md, "Many free bodies"): spheres of centre c0 + cbar q and radius
/// R0 + sum_j |q_j| dR_j with dR_j = max_v |U_vj - cbar_j|, which contain all their points for
/// every q. The cost is O(r) per sphere, independent of the number of points.
class SphereTree {
 public:
  /// Node 0 is the root; both children of a node come after it. A leaf has left = -1.
  struct Node {
    int left = -1, right = -1;
    bool is_leaf() const { return left < 0; }
  };

  /// Halves the longest side of a node\'s box until its diagonal is at most `leaf_size`.
  /// @param points        3 x P [m]
  /// @param displacements 3P x r, rows (x,y,z) per point: the rows of U
  /// @throws InputError if there is no point, sizes do not fit, or leaf_size <= 0
  SphereTree(const Eigen::Matrix3Xd& points, const Eigen::MatrixXd& displacements,
             double leaf_size);

  int node_count() const { return static_cast<int>(nodes_.size()); }
  int leaf_count() const { return static_cast<int>(leaves_.size()); }
  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  std::span<const int> leaves() const { return leaves_; }
  /// Points of a node. Ids index the constructor's columns.
  std::span<const int> points(int node) const;

  /// Spheres of all nodes at q (r values): centres 3 x nodes [m] and radii [m].
  void spheres(const Eigen::Ref<const Eigen::VectorXd>& q, Eigen::Matrix3Xd& centres,
               Eigen::VectorXd& radii) const;
  /// R0 of a node [m]: the radius of a leaf in contact. The full radius bounds the points for every
  /// q, so it grows with |q| far beyond the surface; it serves for culling.
  double rest_radius(int node) const { return radius_rest_[node]; }
  double largest_leaf() const { return largest_leaf_; }  ///< R0 over all leaves [m]
  /// cbar of a node, 3 x r: how its centre moves with q, and, transposed, how a force on it acts on
  /// the reduced coordinates.
  Eigen::Block<const Eigen::MatrixXd> centre_motion(int node) const {
    return centre_modal_.block(3 * node, 0, 3, centre_modal_.cols());
  }

 private:
  int build(const Eigen::Matrix3Xd& points, int begin, int end, double leaf_size);

  std::vector<Node> nodes_;
  std::vector<int> leaves_;
  std::vector<int> order_;                  // points, those of a node contiguous
  std::vector<std::pair<int, int>> range_;  // of order_, by node
  Eigen::VectorXd centre_rest_;             // 3 nodes
  Eigen::MatrixXd centre_modal_;            // 3 nodes x r
  Eigen::VectorXd radius_rest_;             // nodes
  Eigen::MatrixXd radius_modal_;            // nodes x r
  double largest_leaf_ = 0.0;               // m
};

}  // namespace haptic

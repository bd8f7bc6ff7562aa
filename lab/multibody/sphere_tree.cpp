#include "lab/multibody/sphere_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "shared/error.h"

namespace haptic {

SphereTree::SphereTree(const Eigen::Matrix3Xd& points, const Eigen::MatrixXd& displacements,
                       double leaf_size) {
  if (points.cols() == 0 || displacements.rows() != 3 * points.cols() || !(leaf_size > 0.0)) {
    throw InputError("sphere tree", "points",
                     fmt::format("found {} points, {} rows, leaves of {} m", points.cols(),
                                 displacements.rows(), leaf_size),
                     "at least one point, three rows each, a size > 0");
  }
  order_.resize(static_cast<std::size_t>(points.cols()));
  std::iota(order_.begin(), order_.end(), 0);
  build(points, 0, static_cast<int>(points.cols()), leaf_size);

  const Eigen::Index nodes = node_count(), r = displacements.cols();
  centre_rest_ = Eigen::VectorXd::Zero(3 * nodes);
  centre_modal_ = Eigen::MatrixXd::Zero(3 * nodes, r);
  radius_rest_ = Eigen::VectorXd::Zero(nodes);
  radius_modal_ = Eigen::MatrixXd::Zero(nodes, r);
  for (int i = 0; i < static_cast<int>(nodes); ++i) {
    const std::span<const int> members = this->points(i);
    auto rest = centre_rest_.segment<3>(3 * i);
    auto modal = centre_modal_.middleRows(3 * i, 3);
    for (const int p : members) {
      rest += points.col(p) / static_cast<double>(members.size());
      modal += displacements.middleRows(3 * p, 3) / static_cast<double>(members.size());
    }
    for (const int p : members) {
      radius_rest_[i] = std::max(radius_rest_[i], (points.col(p) - rest).norm());
      radius_modal_.row(i) = radius_modal_.row(i).cwiseMax(
          (displacements.middleRows(3 * p, 3) - modal).colwise().norm());
    }
  }
  for (const int leaf : leaves_) largest_leaf_ = std::max(largest_leaf_, radius_rest_[leaf]);
}

int SphereTree::build(const Eigen::Matrix3Xd& points, int begin, int end, double leaf_size) {
  const int self = node_count();
  nodes_.emplace_back();
  range_.emplace_back(begin, end);
  Vector3 lower = points.col(order_[static_cast<std::size_t>(begin)]), upper = lower;
  for (int i = begin; i < end; ++i) {
    const Vector3 p = points.col(order_[static_cast<std::size_t>(i)]);
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  if ((upper - lower).norm() <= leaf_size) {
    leaves_.push_back(self);
    return self;
  }
  Eigen::Index axis = 0;
  (upper - lower).maxCoeff(&axis);
  // Both halves contain a point, because the box is tight.
  const double half = 0.5 * (lower[axis] + upper[axis]);
  const auto split = std::stable_partition(order_.begin() + begin, order_.begin() + end,
                                           [&](int p) { return points(axis, p) <= half; });
  const int middle = static_cast<int>(split - order_.begin());
  const int left = build(points, begin, middle, leaf_size);
  const int right = build(points, middle, end, leaf_size);
  nodes_[static_cast<std::size_t>(self)] = {left, right};
  return self;
}

std::span<const int> SphereTree::points(int node) const {
  const auto [begin, end] = range_[static_cast<std::size_t>(node)];
  return std::span(order_).subspan(static_cast<std::size_t>(begin),
                                   static_cast<std::size_t>(end - begin));
}

void SphereTree::spheres(const Eigen::Ref<const Eigen::VectorXd>& q, Eigen::Matrix3Xd& centres,
                         Eigen::VectorXd& radii) const {
  centres.resize(3, node_count());
  Eigen::Map<Eigen::VectorXd> flat(centres.data(), centres.size());
  flat = centre_rest_;
  flat.noalias() += centre_modal_ * q;
  radii = radius_rest_;
  radii.noalias() += radius_modal_ * q.cwiseAbs();
}

}  // namespace haptic

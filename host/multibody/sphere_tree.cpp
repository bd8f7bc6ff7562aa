#include "host/multibody/sphere_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "shared/error.h"

namespace haptic {

SphereTree::SphereTree(const Eigen::Matrix3Xd& points, const Eigen::MatrixXd& displacements,
                       int leaf_points) {
  if (points.cols() == 0 || displacements.rows() != 3 * points.cols() || leaf_points < 1) {
    throw InputError("sphere tree", "points",
                     fmt::format("found {} points, {} rows, {} points a leaf", points.cols(),
                                 displacements.rows(), leaf_points),
                     "at least one point, three rows each, at least one point a leaf");
  }
  order_.resize(static_cast<std::size_t>(points.cols()));
  std::iota(order_.begin(), order_.end(), 0);
  build(points, 0, static_cast<int>(points.cols()), leaf_points);

  const Eigen::Index nodes = node_count(), r = displacements.cols();
  centre_rest_ = Eigen::VectorXd::Zero(3 * nodes);
  centre_modal_ = Eigen::MatrixXd::Zero(3 * nodes, r);
  radius_rest_ = Eigen::VectorXd::Zero(nodes);
  radius_modal_ = Eigen::MatrixXd::Zero(nodes, r);
  for (int i = 0; i < nodes; ++i) {
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
}

int SphereTree::build(const Eigen::Matrix3Xd& points, int begin, int end, int leaf_points) {
  const int self = node_count();
  nodes_.emplace_back();
  range_.emplace_back(begin, end);
  if (end - begin <= leaf_points) {
    leaves_.push_back(self);
    return self;
  }
  Vector3 lower = points.col(order_[static_cast<std::size_t>(begin)]), upper = lower;
  for (int i = begin; i < end; ++i) {
    const Vector3 p = points.col(order_[static_cast<std::size_t>(i)]);
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  Eigen::Index axis = 0;
  (upper - lower).maxCoeff(&axis);
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](int a, int b) {
                     const double x = points(axis, a), y = points(axis, b);
                     return x != y ? x < y : a < b;
                   });
  const int left = build(points, begin, middle, leaf_points);
  const int right = build(points, middle, end, leaf_points);
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

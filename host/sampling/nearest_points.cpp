#include "host/sampling/nearest_points.h"

#include <cmath>
#include <limits>
#include <nanoflann.hpp>

namespace haptic {

namespace {

/// The points as nanoflann reads them.
struct Cloud {
  std::span<const Vector3> points;

  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t point, std::size_t axis) const {
    return points[point][static_cast<Eigen::Index>(axis)];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud,
                                                 3, std::uint32_t>;

/// nanoflann result set of one point: the nearest, of equal ones the lowest index, never
/// `excluded`.
class LowestNearest {
 public:
  explicit LowestNearest(std::uint32_t excluded) : excluded_(excluded) {}

  bool addPoint(double squared_distance, std::uint32_t index) {
    if (index == excluded_) return true;
    if (squared_distance < best_ || (squared_distance == best_ && index < index_)) {
      best_ = squared_distance;
      index_ = index;
    }
    return true;
  }
  /// The tree skips what is not below this, so equals must stay below it.
  double worstDist() const {
    return std::nextafter(best_, std::numeric_limits<double>::infinity());
  }
  bool full() const { return true; }
  std::size_t size() const { return 1; }

  std::uint32_t index() const { return index_; }
  double squared_distance() const { return best_; }

 private:
  std::uint32_t excluded_;
  std::uint32_t index_ = std::numeric_limits<std::uint32_t>::max();
  double best_ = std::numeric_limits<double>::max();
};

constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

}  // namespace

struct NearestPoints::Data {
  Cloud cloud;
  Tree tree;

  explicit Data(std::span<const Vector3> points)
      : cloud{points}, tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10)) {}
};

NearestPoints::NearestPoints(std::span<const Vector3> points)
    : data_(std::make_unique<Data>(points)) {}
NearestPoints::~NearestPoints() = default;

std::uint32_t NearestPoints::nearest(const Vector3& p) const {
  LowestNearest result(kNothing);
  data_->tree.findNeighbors(result, p.data(), nanoflann::SearchParams());
  return result.index();
}

double NearestPoints::distance_to_other(std::uint32_t point) const {
  LowestNearest result(point);
  data_->tree.findNeighbors(result, data_->cloud.points[point].data(), nanoflann::SearchParams());
  return std::sqrt(result.squared_distance());
}

}  // namespace haptic

#include "host/sampling/nearest_points.h"

#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <utility>

namespace haptic {

namespace {

/// Adapter of the points for nanoflann.
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

#if NANOFLANN_VERSION < 0x150
using SearchParameters = nanoflann::SearchParams;
#else
using nanoflann::SearchParameters;
#endif

constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

/// nanoflann result set of one point: the nearest admitted one, with the lowest index of equals.
template <typename Admit>
class LowestNearest {
 public:
  using DistanceType = double;
  using IndexType = std::uint32_t;

  explicit LowestNearest(const Admit& admit) : admit_(admit) {}

  bool addPoint(double squared_distance, std::uint32_t index) {
    if (squared_distance > best_ || !admit_(index)) return true;
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
  void sort() {}
  std::size_t size() const { return 1; }

  std::uint32_t index() const { return index_; }
  double squared_distance() const { return best_; }

 private:
  const Admit& admit_;
  std::uint32_t index_ = kNothing;
  double best_ = std::numeric_limits<double>::max();
};

}  // namespace

struct NearestPoints::Data {
  Cloud cloud;
  Tree tree;

  explicit Data(std::span<const Vector3> points)
      : cloud{points}, tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10)) {}

  template <typename Admit>
  std::pair<std::uint32_t, double> search(const Vector3& p, const Admit& admit) const {
    LowestNearest<Admit> result(admit);
    tree.findNeighbors(result, p.data(), SearchParameters());
    return {result.index(), result.squared_distance()};
  }
};

NearestPoints::NearestPoints(std::span<const Vector3> points)
    : data_(std::make_unique<Data>(points)) {}
NearestPoints::~NearestPoints() = default;

std::uint32_t NearestPoints::nearest(const Vector3& p) const {
  return data_->search(p, [](std::uint32_t) { return true; }).first;
}

std::uint32_t NearestPoints::nearest_facing(const Vector3& p, const Vector3& direction,
                                            std::span<const Vector3> directions) const {
  const std::uint32_t facing =
      data_->search(p, [&](std::uint32_t i) { return directions[i].dot(direction) > 0.0; }).first;
  return facing == kNothing ? nearest(p) : facing;
}

double NearestPoints::distance_to_other(std::uint32_t point) const {
  const auto other = [&](std::uint32_t i) { return i != point; };
  return std::sqrt(data_->search(data_->cloud.points[point], other).second);
}

}  // namespace haptic

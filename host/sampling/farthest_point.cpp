#include "host/sampling/farthest_point.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "shared/assert.h"

namespace haptic {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Candidates sorted by the cells of a regular grid, so that a ball is a set of runs.
class CandidateGrid {
 public:
  explicit CandidateGrid(std::span<const Vector3> candidates);

  std::size_t size() const { return entries_.size(); }

  /// Updates the squared distance of every candidate within `radius` of p to which p is nearer.
  void lower_within(const Vector3& p, double radius);

  double squared_distance(std::uint32_t candidate) const {
    return entries_[slot_[candidate]].squared_distance;
  }

 private:
  struct Entry {
    Vector3 position;
    double squared_distance;
  };

  int cell_along(int axis, double x) const {
    const double at = std::floor((x - lower_[axis]) * inverse_cell_);
    return static_cast<int>(std::clamp(at, 0.0, counts_[static_cast<std::size_t>(axis)] - 1.0));
  }
  std::size_t cell_index(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(counts_[1]) +
            static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(counts_[0]) +
           static_cast<std::size_t>(i);
  }

  Vector3 lower_;
  double inverse_cell_ = 1.0;
  std::array<int, 3> counts_ = {1, 1, 1};
  std::vector<std::uint32_t> begin_;  // per cell, first entry; one more at the end
  std::vector<Entry> entries_;        // in cell order
  std::vector<std::uint32_t> slot_;   // entry of each candidate
};

CandidateGrid::CandidateGrid(std::span<const Vector3> candidates) {
  lower_ = candidates.front();
  Vector3 upper = lower_;
  for (const Vector3& p : candidates) {
    lower_ = lower_.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  // Samples of a surface fill about (side/cell)^2 cells; four cells to a candidate's area leave
  // some sixteen candidates in a cell and as many cells in the box as candidates at the most.
  const double side = std::max((upper - lower_).maxCoeff(), 1e-300);
  const double cells_a_side =
      std::clamp(std::sqrt(static_cast<double>(candidates.size())) / 4.0, 1.0, 200.0);
  inverse_cell_ = cells_a_side / side;
  for (int axis = 0; axis < 3; ++axis) {
    counts_[static_cast<std::size_t>(axis)] =
        static_cast<int>((upper[axis] - lower_[axis]) * inverse_cell_) + 1;
  }

  const std::size_t cells = cell_index(0, 0, counts_[2]);
  std::vector<std::uint32_t> cell_of(candidates.size());
  begin_.assign(cells + 1, 0);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const Vector3& p = candidates[c];
    cell_of[c] = static_cast<std::uint32_t>(
        cell_index(cell_along(0, p.x()), cell_along(1, p.y()), cell_along(2, p.z())));
    ++begin_[cell_of[c] + 1];
  }
  for (std::size_t cell = 0; cell < cells; ++cell) begin_[cell + 1] += begin_[cell];
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  entries_.resize(candidates.size());
  slot_.resize(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    slot_[c] = next[cell_of[c]]++;
    entries_[slot_[c]] = {candidates[c], kInfinity};
  }
}

void CandidateGrid::lower_within(const Vector3& p, double radius) {
  std::array<int, 3> first{};
  std::array<int, 3> last{};
  for (int axis = 0; axis < 3; ++axis) {
    first[static_cast<std::size_t>(axis)] = cell_along(axis, p[axis] - radius);
    last[static_cast<std::size_t>(axis)] = cell_along(axis, p[axis] + radius);
  }
  const auto lower_layer = [&](int k) {
    for (int j = first[1]; j <= last[1]; ++j) {
      // Cells along x are neighbours in memory: one run.
      const std::uint32_t end = begin_[cell_index(last[0], j, k) + 1];
      for (std::uint32_t e = begin_[cell_index(first[0], j, k)]; e < end; ++e) {
        Entry& entry = entries_[e];
        const double d = (entry.position - p).squaredNorm();
        if (d < entry.squared_distance) entry.squared_distance = d;
      }
    }
  };
  // The first balls contain most candidates and are processed in parallel; the many small ones are
  // not.
  constexpr std::uint32_t kWorthThreads = 100'000;
  const std::uint32_t span = begin_[cell_index(last[0], last[1], last[2]) + 1] -
                             begin_[cell_index(first[0], first[1], first[2])];
  if (span > kWorthThreads) {
    tbb::parallel_for(first[2], last[2] + 1, lower_layer);
  } else {
    for (int k = first[2]; k <= last[2]; ++k) lower_layer(k);
  }
}

/// An upper bound of a candidate's squared distance; the largest comes first, then the lowest
/// index.
struct Bound {
  double squared_distance;
  std::uint32_t candidate;

  bool operator<(const Bound& other) const {
    if (squared_distance != other.squared_distance) {
      return squared_distance < other.squared_distance;
    }
    return candidate > other.candidate;
  }
};

}  // namespace

std::vector<std::uint32_t> farthest_point_order(std::span<const Vector3> candidates,
                                                std::size_t count, std::uint32_t seed) {
  HAPTIC_DEMAND(count <= candidates.size() && (count == 0 || seed < candidates.size()));
  std::vector<std::uint32_t> order;
  if (count == 0) return order;
  order.reserve(count);

  CandidateGrid grid(candidates);
  grid.lower_within(candidates[seed], kInfinity);
  order.push_back(seed);

  std::vector<Bound> bounds;
  bounds.reserve(candidates.size());
  for (std::uint32_t c = 0; c < candidates.size(); ++c) {
    if (c != seed) bounds.push_back({grid.squared_distance(c), c});
  }
  std::priority_queue<Bound> queue(std::less<Bound>{}, std::move(bounds));
  while (order.size() < count) {
    // Distances only decrease, so an entry whose value is still valid is the largest.
    const Bound top = queue.top();
    queue.pop();
    const double now = grid.squared_distance(top.candidate);
    if (now < top.squared_distance) {
      queue.push({now, top.candidate});
      continue;
    }
    order.push_back(top.candidate);
    // No candidate is farther than the one just taken, so nothing beyond that distance changes.
    grid.lower_within(candidates[top.candidate], std::sqrt(now) * (1.0 + 1e-12));
  }
  return order;
}

}  // namespace haptic

#include "rt/worlds/solids/close_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "rt/contact/block_pattern.h"

namespace haptic::solids {
namespace {

constexpr std::size_t kBits = BlockPattern::kBits;  // of a word
/// The sweep changes to an axis along which the bodies are spread by this factor more.
constexpr double kMoreSpread = 4.0;  // of the sums of squares
/// Insertion moves intervals this many times the number of bodies, then all are sorted anew.
constexpr std::size_t kMaxMoves = 8;
/// Intervals that have ended are removed once in so many.
constexpr std::size_t kDropEvery = 8;
/// Intervals are longer by this part, so that rounding hides no pair.
constexpr double kRounding = 1e-9;

void set_bit(std::vector<std::uint64_t>& bits, std::uint32_t i) HAPTIC_REALTIME {
  bits[i / kBits] |= std::uint64_t{1} << (i % kBits);
}

}  // namespace

ClosePairs::ClosePairs(std::vector<Reach> pairs, std::size_t bodies)
    : pairs_(std::move(pairs)),
      radii_(bodies, 0.0),
      partners_of_(bodies + 1, 0),
      is_close_((pairs_.size() + kBits - 1) / kBits),
      was_close_(is_close_.size()),
      close_(pairs_.size()),
      left_(pairs_.size()) {
  std::vector<char> sweeps(bodies, 0);
  std::vector<std::uint32_t> swept;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    const Reach& pair = pairs_[i];
    if (std::isinf(pair.points_radius)) {
      always_.push_back(i);
      continue;
    }
    const auto widen = [&](std::uint32_t body, double radius) {
      radii_[body] = std::max(radii_[body], radius);
      sweeps[body] = 1;
    };
    widen(pair.points, pair.points_radius);
    widen(pair.field, pair.field_radius + pair.margin);
    swept.push_back(i);
  }
  const auto bodies_of = [&](std::uint32_t i) {
    return std::minmax(pairs_[i].points, pairs_[i].field);
  };
  std::ranges::sort(swept, {}, [&](std::uint32_t i) {
    const auto [first, second] = bodies_of(i);
    return std::array<std::uint32_t, 3>{first, second, i};
  });
  for (const std::uint32_t i : swept) {
    const auto [first, second] = bodies_of(i);
    partners_.push_back({second, i});
    ++partners_of_[first + 1];
  }
  for (std::size_t body = 0; body < bodies; ++body) partners_of_[body + 1] += partners_of_[body];
  for (std::uint32_t body = 0; body < bodies; ++body) {
    if (sweeps[body] != 0) intervals_.push_back({0.0, 0.0, Vector3::Zero(), 0.0, body});
  }
  active_.resize(intervals_.size());
  for (auto* values : {&ends_, &x_, &y_, &z_, &active_radii_, &gaps_}) {
    values->resize(intervals_.size());
  }
  take_all();
}

void ClosePairs::take_all() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    set_bit(is_close_, i);
    close_[i] = i;
  }
  closes_ = pairs_.size();
  lefts_ = 0;
}

bool ClosePairs::is_close(const Reach& pair, std::span<const BodyMotion> bodies,
                          std::span<const double> motion_bounds) HAPTIC_REALTIME {
  const double way =
      motion_bounds.empty() ? 0.0 : motion_bounds[pair.points] + motion_bounds[pair.field];
  const double distance = pair.points_radius + pair.field_radius + std::max(way, pair.margin);
  const double square =
      (bodies[pair.points].pose.position - bodies[pair.field].pose.position).squaredNorm();
  return !(square > distance * distance);
}

double ClosePairs::gap(std::uint32_t pair,
                       std::span<const BodyMotion> bodies) const HAPTIC_REALTIME {
  const Reach& of = pairs_[pair];
  return (bodies[of.points].pose.position - bodies[of.field].pose.position).norm() -
         of.points_radius - of.field_radius;
}

void ClosePairs::find(std::span<const BodyMotion> bodies,
                      std::span<const double> motion_bounds) HAPTIC_REALTIME {
  std::ranges::copy(is_close_, was_close_.begin());
  std::ranges::fill(is_close_, 0);
  for (const std::uint32_t pair : always_) set_bit(is_close_, pair);
  if (place_intervals(bodies, motion_bounds)) {
    sort_intervals();
    sweep(bodies, motion_bounds);
  } else {
    for (const Partner& partner : partners_) test(partner.pair, bodies, motion_bounds);
  }
  list();
}

/// @returns false if an interval is not finite
bool ClosePairs::place_intervals(std::span<const BodyMotion> bodies,
                                 std::span<const double> motion_bounds) HAPTIC_REALTIME {
  choose_axis(bodies);
  for (Interval& interval : intervals_) {
    const std::uint32_t body = interval.body;
    const Vector3& at = bodies[body].pose.position;
    const double half = radii_[body] + (motion_bounds.empty() ? 0.0 : motion_bounds[body]);
    interval.centre = at;
    interval.radius = half + kRounding * (half + std::abs(at[axis_]));
    interval.low = at[axis_] - interval.radius;
    interval.high = at[axis_] + interval.radius;
    if (!std::isfinite(half) || !at.allFinite()) return false;
  }
  return true;
}

void ClosePairs::choose_axis(std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  Vector3 sum = Vector3::Zero(), squares = Vector3::Zero();
  for (const Interval& interval : intervals_) {
    const Vector3& at = bodies[interval.body].pose.position;
    sum += at;
    squares += at.cwiseAbs2();
  }
  const Vector3 spread =
      squares - sum.cwiseAbs2() / static_cast<double>(std::max<std::size_t>(1, intervals_.size()));
  for (int axis = 0; axis < 3; ++axis) {
    if (spread[axis] > kMoreSpread * spread[axis_]) axis_ = axis;
  }
}

/// By their low ends. From one step to the next hardly any interval passes another.
void ClosePairs::sort_intervals() HAPTIC_REALTIME {
  std::size_t moves = 0;
  const std::size_t most = kMaxMoves * intervals_.size();
  for (std::size_t i = 1; i < intervals_.size(); ++i) {
    const Interval interval = intervals_[i];
    std::size_t k = i;
    for (; k > 0 && intervals_[k - 1].low > interval.low; --k) intervals_[k] = intervals_[k - 1];
    intervals_[k] = interval;
    moves += i - k;
    if (moves > most) {
      std::ranges::sort(intervals_, {}, &Interval::low);
      return;
    }
  }
}

/// Removes intervals that have ended. @returns how many are left
std::size_t ClosePairs::drop_ended(std::size_t count, double place) HAPTIC_REALTIME {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (ends_[k] < place) continue;
    if (kept != k) {
      ends_[kept] = ends_[k];
      x_[kept] = x_[k];
      y_[kept] = y_[k];
      z_[kept] = z_[k];
      active_radii_[kept] = active_radii_[k];
      active_[kept] = active_[k];
    }
    ++kept;
  }
  return kept;
}

/// An interval that has ended does no harm: its sphere is tested, too.
void ClosePairs::sweep(std::span<const BodyMotion> bodies,
                       std::span<const double> motion_bounds) HAPTIC_REALTIME {
  std::size_t count = 0;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const Interval& next = intervals_[i];
    if (i % kDropEvery == 0) count = drop_ended(count, next.low);
    const double x = next.centre.x(), y = next.centre.y(), z = next.centre.z();
    const double radius = next.radius;
    for (std::size_t k = 0; k < count; ++k) {
      const double dx = x - x_[k], dy = y - y_[k], dz = z - z_[k];
      const double reach = radius + active_radii_[k];
      gaps_[k] = dx * dx + dy * dy + dz * dz - reach * reach;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (gaps_[k] > 0.0) continue;
      for (const Partner& partner : partners(next.body, active_[k])) {
        test(partner.pair, bodies, motion_bounds);
      }
    }
    ends_[count] = next.high;
    x_[count] = x;
    y_[count] = y;
    z_[count] = z;
    active_radii_[count] = radius;
    active_[count++] = next.body;
  }
}

/// The pairs of two bodies.
std::span<const ClosePairs::Partner> ClosePairs::partners(std::uint32_t a,
                                                          std::uint32_t b) const HAPTIC_REALTIME {
  const std::uint32_t first = std::min(a, b), second = std::max(a, b);
  const auto of_first = std::span(partners_).subspan(partners_of_[first],
                                                     partners_of_[first + 1] - partners_of_[first]);
  const auto begin = std::ranges::lower_bound(of_first, second, {}, &Partner::other);
  const auto end = std::ranges::upper_bound(begin, of_first.end(), second, {}, &Partner::other);
  return {begin, end};
}

void ClosePairs::test(std::uint32_t pair, std::span<const BodyMotion> bodies,
                      std::span<const double> motion_bounds) HAPTIC_REALTIME {
  if (is_close(pairs_[pair], bodies, motion_bounds)) set_bit(is_close_, pair);
}

/// Lists the pairs of the bits.
void ClosePairs::list() HAPTIC_REALTIME {
  closes_ = lefts_ = 0;
  for_each_bit(is_close_, [&](std::uint32_t pair) HAPTIC_REALTIME { close_[closes_++] = pair; });
  for (std::size_t w = 0; w < is_close_.size(); ++w) was_close_[w] &= ~is_close_[w];
  for_each_bit(was_close_, [&](std::uint32_t pair) HAPTIC_REALTIME { left_[lefts_++] = pair; });
}

}  // namespace haptic::solids

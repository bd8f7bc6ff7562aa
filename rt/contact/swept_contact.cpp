#include "rt/contact/swept_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"

namespace haptic {
namespace {

// Largest number of steps in an interval; with kStep, the largest motion that it resolves.
constexpr std::uint32_t kMaxSteps = 16;
// Largest number of steps for which the listed points are followed without a query at the middle.
constexpr double kFewSteps = 3.0;
// Prefetch distance, in listed points.
constexpr std::size_t kAhead = 12;
// Candidate nodes on a level above which an interval is halved without visiting them.
constexpr std::uint32_t kProbe = 64;
// Rounding error of positions [voxels].
constexpr double kRounding = 1e-6;
// Smallest part of a motion whose beginning is followed separately.
constexpr double kMinFraction = 1e-6;

std::size_t largest_level(const PointTree& tree) {
  std::size_t largest = 0;
  for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
    largest = std::max<std::size_t>(largest, tree.level_begin(level + 1) - tree.level_begin(level));
  }
  return largest;
}

}  // namespace

SweptContact::SweptContact(const PointShell& shell, const PointTree& tree, SignedField& field)
    : shell_(&shell),
      tree_(&tree),
      field_(&field),
      path_(shell, field),
      followers_(shell, field, path_),
      known_(shell.size()),
      list_(largest_level(tree)),
      next_(list_.size()) {}

void SweptContact::begin(const SweptTouch& touch) HAPTIC_REALTIME {
  touch_ = touch;
  moved_ = needed_ = 0.0;
}

SweptResult SweptContact::run(const SweptMotion& motion, double permitted_depth) HAPTIC_REALTIME {
  visited_ = followed_ = looks_ = 0;
  if (!path_.set(motion)) return {.fraction = 0.0};
  const double travel = path_.travel();
  if (travel == 0.0) return {};
  followers_.begin_motion(permitted_depth);
  const double rounding = kRounding * field_->edge();
  const double covered = touch_.margin - moved_ - rounding;
  SweptResult result;
  if (travel <= covered) {
    result = follow_near(1.0);
  } else {
    result = search();
    if (out_of_looks_ && std::max(result.fraction, kMinFraction) * travel < covered) {
      followers_.begin_motion(permitted_depth);
      const SweptResult beginning = follow_near(covered / travel);
      if (beginning.stopped || beginning.fraction > result.fraction) result = beginning;
    }
  }
  needed_ = std::max(needed_, moved_ + travel + 2.0 * rounding);
  moved_ += result.fraction * travel + rounding;
  return result;
}

/// Follows the listed points through the beginning `part` of the motion, in which no other points
/// can touch, as far as whole intervals go.
SweptResult SweptContact::follow_near(double part) HAPTIC_REALTIME {
  grant_looks();
  const double margin = moved_ + kRounding * field_->edge();
  const double resolved = kMaxSteps * kStep * field_->edge();
  double length = 1.0;
  while (length * path_.travel() > resolved || length > part) length *= 0.5;
  SweptResult result;
  double free = 0.0;
  for (std::uint32_t used = 0; free + length <= part && used < kMaxIntervals; ++used) {
    if (!find_near({free, free + length}, margin)) return {.fraction = part};
    if (followers_.count() > 0 && !follow({free, free + length}, result)) return result;
    followers_.passed();
    free += length;
  }
  result.fraction = free;
  return result;
}

/// Gathers the candidates of an interval from the listed points. @returns false if the whole motion
/// has none
bool SweptContact::find_near(Interval interval, double margin) HAPTIC_REALTIME {
  followers_.begin_interval();
  for (std::size_t i = 0; i < touch_.near.size(); ++i) {
    const NearPoint near = touch_.near[i];
    if (i + kAhead < touch_.near.size()) followers_.prefetch(touch_.near[i + kAhead].point);
    if (near.room <= margin + path_.travel(followers_.way(near.point))) followers_.add(near.point);
  }
  if (followers_.count() == 0) return false;
  const double half = 0.5 * (interval.end - interval.begin);
  if (2.0 * half * path_.travel() <= kFewSteps * kStep * field_->edge()) return true;
  // A longer interval is worth a query at its middle, which drops points that are never inside.
  if (!may_look(followers_.count() + path_.cost_of_placement())) return true;
  ++interval_;
  const Placement middle = path_.placement(interval.begin + half);
  std::uint32_t kept = 0;
  const std::span<std::uint32_t> points = followers_.in_question();
  for (std::size_t first = 0; first < points.size(); first += kFieldBatch) {
    const auto batch =
        points.subspan(first, std::min<std::size_t>(kFieldBatch, points.size() - first));
    look_up(batch, middle, half);
    for (const std::uint32_t point : batch) {
      if (!(known_[point].room > 0.0)) points[kept++] = point;
    }
  }
  followers_.keep(kept);
  return true;
}

/// Searches the tree over the whole motion, until the looks are used up.
SweptResult SweptContact::search() HAPTIC_REALTIME {
  grant_looks();
  SweptResult result;
  // Dyadic intervals in the order of time: halved while there are candidates, doubled again after
  // both halves.
  const double resolved = kMaxSteps * kStep * field_->edge();
  double free = 0.0, length = 1.0;
  for (std::uint32_t used = 0; free < 1.0 && used < kMaxIntervals; ++used) {
    const Interval interval{free, free + length};
    const bool fine = length * path_.travel() <= resolved;
    const std::uint32_t most = fine ? std::numeric_limits<std::uint32_t>::max() : kProbe;
    const bool in_question = find_followers(interval, most);
    if (out_of_looks_) break;
    if (in_question && !fine) {
      length *= 0.5;
      continue;
    }
    if (in_question && !follow(interval, result)) return result;
    followers_.passed();
    free += length;
    while (length < 1.0 && std::fmod(free, 2.0 * length) == 0.0) length *= 2.0;
  }
  result.fraction = free;
  return result;
}

void SweptContact::grant_looks() HAPTIC_REALTIME {
  looks_limit_ = touch_.most_looks == 0 ? 0 : looks_ + touch_.most_looks;
  out_of_looks_ = false;
}

bool SweptContact::may_look(std::uint32_t count) HAPTIC_REALTIME {
  out_of_looks_ = looks_limit_ != 0 && count > looks_limit_ - looks_;
  if (!out_of_looks_) looks_ += count;
  return !out_of_looks_;
}

bool SweptContact::find_followers(Interval interval, std::uint32_t most) HAPTIC_REALTIME {
  ++interval_;
  followers_.begin_interval();
  if (!may_look(path_.cost_of_placement())) return true;
  const Placement middle = path_.placement(0.5 * (interval.begin + interval.end));
  const double half = 0.5 * (interval.end - interval.begin);
  std::uint32_t* list = list_.data();
  std::uint32_t* next = next_.data();
  std::uint32_t count = tree_->level_begin(1);
  std::iota(list, list + count, 0u);
  for (std::uint32_t level = 1; count > 0; ++level) {
    if (!may_look(count)) return true;
    visited_ += count;
    count = visit({{list, count}, level == touch_.level}, middle, half, next);
    if (count > most) return true;
    std::swap(list, next);
  }
  return followers_.count() > 0;
}

/// Visits the nodes of one level. Appends the children of candidate nodes to `queue`, and adds the
/// points of candidate leaves to the followers. @returns the number of children
std::uint32_t SweptContact::visit(const Level& level, const Placement& middle, double half,
                                  std::uint32_t* queue) HAPTIC_REALTIME {
  const std::span<const std::uint32_t> nodes = level.nodes;
  std::array<std::uint32_t, kFieldBatch> point;
  std::uint32_t queued = 0;
  for (std::size_t first = 0; first < nodes.size(); first += kFieldBatch) {
    const auto batch =
        nodes.subspan(first, std::min<std::size_t>(kFieldBatch, nodes.size() - first));
    const auto ahead = nodes.subspan(first + batch.size());
    for (std::uint32_t node : ahead.first(std::min<std::size_t>(kFieldBatch, ahead.size()))) {
      const std::uint32_t next = tree_->point(node);
      __builtin_prefetch(&known_[next], 1);
      shell_->prefetch(next);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) point[i] = tree_->point(batch[i]);
    look_up({point.data(), batch.size()}, middle, half);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t node = batch[i];
      if (level.last) {
        if (!(known_[point[i]].room > 0.0)) followers_.add(point[i]);
        continue;
      }
      const std::uint32_t children = tree_->child_count(node);
      double radius = (1.0 + half * path_.shell_turn()) * tree_->radius(node, path_.hull());
      if (shell_->dimension() != 0)
        radius += half * path_.change().absolute_sum(tree_->modal_radius(node));
      if (known_[point[i]].room > radius) continue;
      if (children == 0) {
        followers_.add(point[i]);
        continue;
      }
      std::iota(queue + queued, queue + queued + children, tree_->child_begin(node));
      queued += children;
    }
  }
  return queued;
}

/// One query per point, in the middle of the interval. The relative motion of the point and the
/// field's inside until the interval's ends is subtracted.
void SweptContact::look_up(std::span<const std::uint32_t> points, const Placement& middle,
                           double half) HAPTIC_REALTIME {
  const double rounding = kRounding * field_->edge();
  std::array<std::uint32_t, kFieldBatch> fresh;
  std::array<double, kFieldBatch> motion;
  FieldPoints placed;
  FieldSamples samples;
  std::uint32_t count = 0;
  for (std::uint32_t point : points) {
    if (known_[point].interval == interval_) continue;
    known_[point].interval = interval_;
    const SweptPath::Way way = path_.way(point);
    const Vector3 x = path_.position(way, middle);
    motion[count] = half * path_.travel(way) + rounding;
    placed.x[count] = x.x(), placed.y[count] = x.y(), placed.z[count] = x.z();
    fresh[count++] = point;
  }
  field_->prefetch(placed, count);
  field_->evaluate(placed, count, Culling::kSafe, samples);
  for (std::uint32_t i = 0; i < count; ++i) {
    const double free = samples.distance[i] < 0.0 ? 0.0 : samples.free_radius[i];
    known_[fresh[i]].room = free - motion[i];
  }
}

bool SweptContact::follow(Interval interval, SweptResult& result) HAPTIC_REALTIME {
  const std::uint32_t count = followers_.count();
  followed_ += count;
  const double length = interval.end - interval.begin;
  const double steps = std::clamp(std::ceil(length * path_.travel() / (kStep * field_->edge())),
                                  1.0, double{kMaxSteps});
  result.fraction = interval.begin;
  const std::uint32_t cost = path_.cost_of_placement();
  if (!may_look(interval.begin == 0.0 ? cost + count : cost)) return false;
  Placement before = path_.placement(interval.begin);
  if (interval.begin == 0.0) {
    followers_.start(before);
  } else {
    followers_.resume();
  }
  for (double k = 1.0; k <= steps; k += 1.0) {
    result.fraction = before.time;
    if (!may_look(cost + count)) return false;
    const Placement now =
        path_.placement(k == steps ? interval.end : interval.begin + length * k / steps);
    if (const std::uint32_t point = followers_.first_refused(now); point != SweptFollowers::kNone) {
      const Pose field = path_.field_pose(before.time);
      result = {before.time, true, point,
                field.to_world(path_.position(followers_.way(point), before)),
                field.orientation * followers_.side(point)};
      return false;
    }
    before = now;
  }
  return true;
}

}  // namespace haptic

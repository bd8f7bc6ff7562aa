#include "rt/contact/swept_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rt/contact/point_shell.h"
#include "rt/contact/point_tree.h"

namespace haptic {
namespace {

// Instants into which an interval is cut at the most; with kStep, what one interval resolves.
constexpr std::uint32_t kMostSteps = 16;
// Nodes in question on a level beyond which an interval is halved without looking further.
constexpr std::uint32_t kProbe = 64;
// Cosine of the turn of a gradient that is taken for another side: 107 degrees. Round the edge of a
// box it turns by 90.
constexpr double kOtherSide = -0.3;
// A gradient shorter than this is that of a fold between two sides. The interpolant of a distance
// has length 1 beside a face, 0.7 at an edge and 0.58 at a corner of a box.
constexpr double kFold = 0.3;

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
      known_(shell.size()),
      list_(largest_level(tree)),
      next_(list_.size()),
      followers_(shell.size()),
      in_question_(shell.size()) {}

SweptResult SweptContact::run(const SweptMotion& motion, double permitted_depth) HAPTIC_REALTIME {
  visited_ = followed_ = 0;
  deepest_ = -permitted_depth - kSlack * field_->edge();
  SweptResult result;
  if (!path_.set(motion)) {
    result.fraction = 0.0;
    return result;
  }
  if (path_.travel() == 0.0) return result;

  // Dyadic intervals in the order of time: halved while something is in question, doubled again
  // where both halves are behind.
  const double resolved = kMostSteps * kStep * field_->edge();
  double free = 0.0, length = 1.0;
  for (std::uint32_t used = 0; free < 1.0 && used < kMostIntervals; ++used) {
    const Interval interval{free, free + length};
    const bool fine = length * path_.travel() <= resolved;
    const std::uint32_t most = fine ? std::numeric_limits<std::uint32_t>::max() : kProbe;
    const bool in_question = find_followers(interval, most);
    if (in_question && !fine) {
      length *= 0.5;
      continue;
    }
    if (in_question && !follow(interval, result)) return result;
    passed_ = interval_;
    free += length;
    while (length < 1.0 && std::fmod(free, 2.0 * length) == 0.0) length *= 2.0;
  }
  result.fraction = free;
  return result;
}

bool SweptContact::find_followers(Interval interval, std::uint32_t most) HAPTIC_REALTIME {
  ++interval_;
  in_question_count_ = 0;
  const Placement middle = path_.placement(0.5 * (interval.begin + interval.end));
  const double half = 0.5 * (interval.end - interval.begin);
  std::uint32_t* list = list_.data();
  std::uint32_t* next = next_.data();
  std::uint32_t count = tree_->level_begin(1);
  std::iota(list, list + count, 0u);
  while (count > 0) {
    visited_ += count;
    count = visit({list, count}, middle, half, next);
    if (count > most) return true;
    std::swap(list, next);
  }
  return in_question_count_ > 0;
}

/// Looks at nodes of one level; appends to `queue` the children still in question, and to the
/// points in question those of leaves that are. @returns how many children
std::uint32_t SweptContact::visit(std::span<const std::uint32_t> nodes, const Placement& middle,
                                  double half, std::uint32_t* queue) HAPTIC_REALTIME {
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
      const std::uint32_t node = batch[i], children = tree_->child_count(node);
      double radius = (1.0 + half * path_.shell_turn()) * tree_->radius(node, path_.hull());
      if (shell_->dimension() != 0)
        radius += half * path_.change().absolute_sum(tree_->modal_radius(node));
      if (known_[point[i]].room > radius) continue;
      if (children == 0) {
        in_question_[in_question_count_++] = point[i];
        continue;
      }
      std::iota(queue + queued, queue + queued + children, tree_->child_begin(node));
      queued += children;
    }
  }
  return queued;
}

/// One query a point, in the middle of the interval; what the point and the field's inside move
/// until its ends is taken off.
void SweptContact::look_up(std::span<const std::uint32_t> points, const Placement& middle,
                           double half) HAPTIC_REALTIME {
  const double rounding = 1e-6 * field_->edge();
  std::array<std::uint32_t, kFieldBatch> fresh;
  std::array<double, kFieldBatch> motion;
  FieldPoints placed;
  FieldSamples samples;
  std::uint32_t count = 0;
  for (std::uint32_t point : points) {
    if (known_[point].interval == interval_) continue;
    known_[point].interval = interval_;
    const Vector3 x = path_.position(point, middle, motion[count]);
    motion[count] = half * motion[count] + rounding;
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
  followed_ += in_question_count_;
  const double length = interval.end - interval.begin;
  const double steps = std::clamp(std::ceil(length * path_.travel() / (kStep * field_->edge())),
                                  1.0, double{kMostSteps});
  Placement before = path_.placement(interval.begin);
  if (interval.begin == 0.0) {
    begin(before);
  } else {
    resume();
  }
  for (double k = 1.0; k <= steps; k += 1.0) {
    const Placement now =
        path_.placement(k == steps ? interval.end : interval.begin + length * k / steps);
    if (const std::uint32_t point = first_refused(now); point != kNone) {
      const Pose field = path_.field_pose(before.time);
      result = {before.time, true, point, field.to_world(path_.position(point, before)),
                field.orientation * followers_[point].side};
      return false;
    }
    before = now;
  }
  return true;
}

/// Depth and side of every point in question at the beginning of the motion.
void SweptContact::begin(const Placement& at) HAPTIC_REALTIME {
  const double slack = kSlack * field_->edge();
  FieldPoints placed;
  FieldSamples samples;
  for (std::uint32_t first = 0; first < in_question_count_; first += kFieldBatch) {
    const std::uint32_t count = look_at(first, at, placed, samples);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t point = in_question_[first + i];
      Follower& f = followers_[point];
      f.interval = interval_;
      f.inside = samples.distance[i] < 0.0;
      f.on_fold = false;
      f.deepest = f.inside ? std::min(deepest_, samples.distance[i] - slack) : deepest_;
      if (!f.inside) continue;
      const Vector3 x(placed.x[i], placed.y[i], placed.z[i]);
      f.side = field_->distance_and_gradient(x).gradient;
      f.on_fold = !(f.side.norm() >= kFold);
      // On no side by its place, the point is where contact pushes it: along its normal.
      if (f.on_fold) f.side = path_.normal(point, at);
      f.side.normalize();
    }
  }
}

/// A point that was in question until now goes on as it is; any other was outside all the while.
void SweptContact::resume() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < in_question_count_; ++i) {
    Follower& f = followers_[in_question_[i]];
    if (f.interval != passed_) {
      f.inside = f.on_fold = false;
      f.deepest = deepest_;
    }
    f.interval = interval_;
  }
}

std::uint32_t SweptContact::look_at(std::uint32_t first, const Placement& at, FieldPoints& placed,
                                    FieldSamples& samples) const HAPTIC_REALTIME {
  const std::uint32_t count = std::min(kFieldBatch, in_question_count_ - first);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector3 x = path_.position(in_question_[first + i], at);
    placed.x[i] = x.x(), placed.y[i] = x.y(), placed.z[i] = x.z();
  }
  field_->evaluate(placed, count, Culling::kText, samples);
  return count;
}

std::uint32_t SweptContact::first_refused(const Placement& at) HAPTIC_REALTIME {
  FieldPoints placed;
  FieldSamples samples;
  for (std::uint32_t first = 0; first < in_question_count_; first += kFieldBatch) {
    const std::uint32_t count = look_at(first, at, placed, samples);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t point = in_question_[first + i];
      const Vector3 x(placed.x[i], placed.y[i], placed.z[i]);
      if (!may_be_at(followers_[point], x, samples.distance[i])) return point;
    }
  }
  return kNone;
}

bool SweptContact::may_be_at(Follower& f, const Vector3& x, double distance) const HAPTIC_REALTIME {
  if (!(distance < 0.0)) {
    f.inside = f.on_fold = false;
    f.deepest = deepest_;  // one that has left comes back like any other
    return true;
  }
  const Vector3 gradient = field_->distance_and_gradient(x).gradient;
  const double length = gradient.norm();
  const bool fold = !(length >= kFold);
  if (!f.inside) f.side = gradient / std::max(length, 1e-12);
  f.inside = true;
  if (distance < f.deepest) return false;
  if (fold) return f.on_fold;
  f.on_fold = false;
  return f.side.dot(gradient) >= kOtherSide * length;
}

}  // namespace haptic

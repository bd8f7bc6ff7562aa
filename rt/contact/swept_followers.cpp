#include "rt/contact/swept_followers.h"

#include <algorithm>

namespace haptic {
namespace {

// Cosine of the turn of the gradient beyond which a point is on another side: 107 degrees. Around
// the edge of a box the gradient turns by 90.
constexpr double kOtherSide = -0.3;
// A shorter gradient is that of a fold between two sides. The gradient of an interpolated distance
// has length 1 next to a face, 0.7 at an edge and 0.58 at a corner of a box.
constexpr double kFold = 0.3;

}  // namespace

SweptFollowers::SweptFollowers(const PointShell& shell, const SignedField& field,
                               const SweptPath& path)
    : shell_(&shell),
      field_(&field),
      path_(&path),
      followers_(shell.size()),
      in_question_(shell.size()) {}

void SweptFollowers::begin_motion(double permitted_depth) HAPTIC_REALTIME {
  ++motion_;
  deepest_ = -permitted_depth - kSlack * field_->edge();
}

const SweptPath::Way& SweptFollowers::way(std::uint32_t point) HAPTIC_REALTIME {
  Follower& f = followers_[point];
  if (f.motion != motion_) {
    f.motion = motion_;
    f.way = path_->way(point);
  }
  return f.way;
}

void SweptFollowers::start(const SweptPath::Placement& at) HAPTIC_REALTIME {
  const double slack = kSlack * field_->edge();
  FieldPoints placed;
  FieldSamples samples;
  for (std::uint32_t first = 0; first < count_; first += kFieldBatch) {
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
      // Its position determines no side: it gets the side to which contact pushes it, its normal.
      if (f.on_fold) f.side = path_->normal(point, at);
      f.side.normalize();
    }
  }
}

/// A point that was followed in the last interval keeps its state; any other was outside until now.
void SweptFollowers::resume() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Follower& f = followers_[in_question_[i]];
    if (f.interval != passed_) {
      f.inside = f.on_fold = false;
      f.deepest = deepest_;
    }
    f.interval = interval_;
  }
}

std::uint32_t SweptFollowers::look_at(std::uint32_t first, const SweptPath::Placement& at,
                                      FieldPoints& placed, FieldSamples& samples) HAPTIC_REALTIME {
  const std::uint32_t count = std::min(kFieldBatch, count_ - first);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector3 x = path_->position(way(in_question_[first + i]), at);
    placed.x[i] = x.x(), placed.y[i] = x.y(), placed.z[i] = x.z();
  }
  field_->evaluate(placed, count, Culling::kPublished, samples);
  return count;
}

std::uint32_t SweptFollowers::first_refused(const SweptPath::Placement& at) HAPTIC_REALTIME {
  FieldPoints placed;
  FieldSamples samples;
  std::uint32_t refused = kNone;
  for (std::uint32_t first = 0; first < count_; first += kFieldBatch) {
    const std::uint32_t count = look_at(first, at, placed, samples);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t point = in_question_[first + i];
      const Vector3 x(placed.x[i], placed.y[i], placed.z[i]);
      if (!may_be_at(followers_[point], x, samples.distance[i])) refused = std::min(refused, point);
    }
  }
  return refused;
}

bool SweptFollowers::may_be_at(Follower& f, const Vector3& x,
                               double distance) const HAPTIC_REALTIME {
  if (!(distance < 0.0)) {
    f.inside = f.on_fold = false;
    f.deepest = deepest_;  // a point that has left has the same limit as any other
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

#include "rt/contact/contact_traversal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"

namespace haptic {
namespace {

/// Visits the nodes whose point is not a copy of the parent's, in node order.
template <class Visit>
void for_each_new_node(const TraversalLayout& layout, std::uint32_t roots, Visit&& visit) {
  for (std::uint32_t node = 0; node < roots; ++node) visit(node);
  for (std::uint32_t node = 0; node < layout.inner_nodes(); ++node) {
    const auto children = layout.children(node);
    for (std::uint32_t i = children.first_is_copy; i < children.count; ++i) {
      visit(children.begin + i);
    }
  }
}

}  // namespace

/// Nodes for one query of the field.
struct ContactTraversal::Batch {
  std::uint32_t count = 0;
  std::uint32_t entry[kFieldBatch], node[kFieldBatch];
  FieldPoints points;
};

ContactTraversal::ContactTraversal(const PointShell& shell, const PointTree& tree,
                                   const SignedField& field, const TraversalSettings& settings)
    : layout_(shell, tree),
      field_(&field),
      kernels_(&traversal_kernels(simd_target())),
      settings_(settings),
      roots_(tree.level_begin(1)),
      levels_(tree.level_count()),
      points_(shell.size()),
      ascending_(true),
      coordinates_(layout_.row(), 0.0),
      magnitudes_(layout_.row(), 0.0),
      odometer_(layout_, field),
      schedule_(settings.degradation),
      touching_(0) {
  for (std::uint32_t k = 0; k < levels_; ++k) level_end_.push_back(tree.level_begin(k + 1));
  const std::uint32_t nodes = tree.node_count();
  std::uint32_t news = 0;
  for_each_new_node(layout_, roots_, [&](std::uint32_t node) {
    ascending_ = ascending_ && layout_.point(node) == news;
    ++news;
  });
  entries_.resize(nodes);
  expanded_.resize(nodes);
  found_.resize(news);
  if (settings.near_points) near_.resize(news);
  if (settings.temporal_coherence) {
    free_until_.resize(nodes);
    own_.resize(nodes);
    below_.resize(nodes);
  }
  if (!ascending_) {
    touching_ = AscendingIndexSet(points_);
    sorted_.resize(points_);
    place_in_found_.resize(points_);
  }
}

void ContactTraversal::clear_history() HAPTIC_REALTIME {
  odometer_.clear_history();
  schedule_.clear_history();
}

void ContactTraversal::clear() HAPTIC_REALTIME {
  visited_ = entry_count_ = expanded_count_ = found_count_ = near_count_ = 0;
  level_ = 1;
  cut_ = false;
}

std::span<const TouchingPoint> ContactTraversal::run(const Pose& shell_pose, const Pose& field_pose,
                                                     const ModalCoordinates& q,
                                                     std::span<const double> field_q,
                                                     double margin) HAPTIC_REALTIME {
  begin(shell_pose, field_pose, q);
  lists_near_ = margin >= 0.0 && settings_.near_points;
  margin_ = lists_near_ ? margin : 0.0;
  if (settings_.temporal_coherence) odometer_.advance(rotation_, offset_, q.values(), field_q);
  awake_ = odometer_.reading() + margin_;
  gather_roots();
  std::uint32_t first = 0;
  while (true) {
    ++level_;
    const std::uint32_t last = entry_count_;
    look_up(first, last);
    decide(first, last);
    first = last;
    gather_children();
    if (entry_count_ == first) break;
    if (!schedule_.may_enter(level_ + 1, first, entry_count_ - first, found_count_)) {
      cut_ = true;
      entry_count_ = first;
      break;
    }
  }
  visited_ = entry_count_;
  if (level_ < levels_) settled_ = entry_count_;
  if (settings_.temporal_coherence) settle();
  schedule_.finish(level_);
  return in_order();
}

std::span<const TouchingPoint> ContactTraversal::run_all(
    const Pose& shell_pose, const Pose& field_pose, const ModalCoordinates& q) HAPTIC_REALTIME {
  begin(shell_pose, field_pose, q);
  Batch batch;
  level_ = 1;
  for_each_new_node(layout_, roots_, [&](std::uint32_t node) HAPTIC_REALTIME {
    if (node >= level_end_[level_ - 1]) {
      evaluate(batch);
      while (node >= level_end_[level_ - 1]) ++level_;
    }
    batch.entry[batch.count] = batch.count;
    entries_[batch.count].node = batch.node[batch.count] = node;
    if (++batch.count == kFieldBatch) evaluate(batch);
  });
  evaluate(batch);
  visited_ = points_;
  level_ = levels_;
  return in_order();
}

double ContactTraversal::clearance(const Pose& shell_pose, const Pose& field_pose,
                                   const ModalCoordinates& q, double most) HAPTIC_REALTIME {
  set_frame(shell_pose, field_pose, q);
  double nearest = most;
  Batch batch;
  std::uint32_t first = 0, last = 0;
  while (last < roots_) entries_[last].node = last, ++last;
  while (first < last && nearest > 0.0) {
    batch.count = std::min<std::uint32_t>(last - first, kFieldBatch);
    for (std::uint32_t i = 0; i < batch.count; ++i) batch.node[i] = entries_[first + i].node;
    first += batch.count;
    kernels_->place(layout_.places(), batch.node, batch.count, coordinates_.data(), change_,
                    batch.points);
    FieldSamples samples;
    field_->evaluate(batch.points, batch.count, Culling::kSafe, samples);
    double room[kFieldBatch];
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      room[i] = samples.distance[i] > 0.0 ? samples.free_radius[i] : 0.0;
      nearest = std::min(nearest, room[i]);
    }
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const std::uint32_t node = batch.node[i];
      if (node >= layout_.inner_nodes()) continue;
      if (!(room[i] - layout_.radius(node, magnitudes_.data()) < nearest)) continue;
      const auto children = layout_.children(node);
      for (std::uint32_t k = 0; k < children.count; ++k) entries_[last++].node = children.begin + k;
    }
  }
  return nearest;
}

void ContactTraversal::begin(const Pose& shell_pose, const Pose& field_pose,
                             const ModalCoordinates& q) HAPTIC_REALTIME {
  visited_ = level_ = entry_count_ = expanded_count_ = found_count_ = near_count_ = 0;
  cut_ = lists_near_ = false;
  set_frame(shell_pose, field_pose, q);
}

/// What places the nodes in the field.
void ContactTraversal::set_frame(const Pose& shell_pose, const Pose& field_pose,
                                 const ModalCoordinates& q) HAPTIC_REALTIME {
  const Matrix3 world_to_field = field_pose.orientation.toRotationMatrix().transpose();
  rotation_ = world_to_field * shell_pose.orientation.toRotationMatrix();
  offset_ = world_to_field * (shell_pose.position - field_pose.position);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) change_.rotation[i][j] = rotation_(i, j);
    change_.offset[i] = offset_[i];
  }
  if (layout_.row() == 0) return;
  coordinates_[0] = magnitudes_[0] = 1.0;
  const std::span<const double> values = q.values();
  for (std::size_t j = 0; j < values.size(); ++j) {
    coordinates_[j + 1] = values[j];
    magnitudes_[j + 1] = std::abs(values[j]);
  }
}

void ContactTraversal::gather_roots() HAPTIC_REALTIME {
  const bool coherent = settings_.temporal_coherence;
  for (std::uint32_t node = 0; node < roots_; ++node) {
    if (!coherent || !(free_until_[node] > awake_)) entries_[entry_count_++] = {node, 0, 0.0};
  }
  root_entries_ = entry_count_;
}

/// Appends the children of the expanded entries, except those known to be free.
void ContactTraversal::gather_children() HAPTIC_REALTIME {
  const double awake = awake_;
  const bool coherent = settings_.temporal_coherence;
  const double* const free_until = free_until_.data();
  Entry* const entries = entries_.data();
  Entry* next = entries + entry_count_;
  for (std::uint32_t k = 0; k < expanded_count_; ++k) {
    const auto [parent, children] = expanded_[k];
    layout_.prefetch(children.begin, children.count, level_ + 1 < levels_);
    const std::uint32_t begin = children.begin, end = begin + children.count;
    Entry* const family = next;
    double below = kNever;
    for (std::uint32_t node = begin; node < end; ++node) {
      if (coherent && free_until[node] > awake) {
        below = std::min(below, free_until[node]);
      } else {
        *next++ = {node, parent, 0.0};
      }
    }
    if (children.first_is_copy && next != family && family->node == begin) {
      *family = {begin, parent | kCopy, entries[parent].room};
    }
    if (coherent) below_[parent] = below;
  }
  entry_count_ = static_cast<std::uint32_t>(next - entries);
}

/// Computes positions and field values of the points of the entries [first, last).
void ContactTraversal::look_up(std::uint32_t first, std::uint32_t last) HAPTIC_REALTIME {
  const Entry* const entries = entries_.data();
  Batch batch;
  for (std::uint32_t i = first; i < last; ++i) {
    // A copy is overwritten by the next entry.
    batch.entry[batch.count] = i;
    batch.node[batch.count] = entries[i].node;
    batch.count += (entries[i].parent & kCopy) == 0;
    if (batch.count == kFieldBatch) evaluate(batch);
  }
  evaluate(batch);
}

/// Computes positions and field values of a batch, then empties it. No prefetch: the loads of a
/// field already keep as many cache lines in flight as a core can.
void ContactTraversal::evaluate(Batch& batch) HAPTIC_REALTIME {
  if (batch.count == 0) return;
  kernels_->place(layout_.places(), batch.node, batch.count, coordinates_.data(), change_,
                  batch.points);
  FieldSamples samples;
  field_->evaluate(batch.points, batch.count, settings_.culling, samples);
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const double distance = samples.distance[i];
    Entry& entry = entries_[batch.entry[i]];
    if (distance < 0.0) {
      entry.room = distance;
      found_[found_count_++] = {layout_.point(entry.node), level_, distance};
    } else {
      entry.room = samples.free_radius[i];
    }
    if (lists_near_ && entry.room <= margin_) {
      near_[near_count_++] = {layout_.point(entry.node), entry.room};
    }
  }
  batch.count = 0;
}

std::span<const TouchingPoint> ContactTraversal::in_order() HAPTIC_REALTIME {
  if (ascending_) return {found_.data(), found_count_};
  // From the end, so that the first entry of a point found twice overwrites the second.
  for (std::uint32_t i = found_count_; i-- > 0;) {
    touching_.insert(found_[i].point);
    place_in_found_[found_[i].point] = i;
  }
  std::uint32_t count = 0;
  touching_.drain([&](std::uint32_t point)
                      HAPTIC_REALTIME { sorted_[count++] = found_[place_in_found_[point]]; });
  return {sorted_.data(), count};
}

}  // namespace haptic

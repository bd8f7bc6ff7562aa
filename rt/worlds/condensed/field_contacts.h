#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/condensed/condensed_contact.h"
#include "rt/worlds/condensed/condensed_surface.h"
#include "rt/worlds/condensed/near_surface.h"
#include "rt/worlds/condensed/surface_samples.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The points of a condensed body that are, or may come within the step, inside the signed distance
/// field of a tool: distributed contact with a rigid body of any shape. These points are the
/// vertices, and between them so many samples that the tool does not pass between them even where
/// the surface is stretched.
///
/// Poses are of the tool in the frame of the body's model.
class FieldContacts {
 public:
  /// @param field  of the tool, model frame of the tool; outlives the contacts, as do the others
  FieldContacts(const CondensedModel& model, const CondensedSurface& surface,
                const SignedField& field);

  /// Writes the near points whose distance is below `margin` [m]: vertices, then samples, each
  /// ascending. If there are more than fit, those of `pressing` first, so that a tool that rests
  /// keeps its contacts; then the deepest, and of those that are about equally deep, as under a
  /// flat tool, evenly spread ones (spread_ranks).
  /// @param pressing  keys of contacts that pressed in the last step
  /// @returns how many were written
  std::size_t collect(const NearSurface& near, const Pose& tool, std::span<const double> u,
                      double margin, std::span<const std::uint32_t> pressing,
                      std::span<CondensedContact> contacts) HAPTIC_REALTIME;
  /// How far the tool can go in any direction before a point touches it, at most `most` [m]; 0
  /// where one does. @param near  of at least so much about the tool
  double clearance(const NearSurface& near, const Pose& tool, std::span<const double> u,
                   double most) const HAPTIC_REALTIME;
  /// Points that did not fit at the last collect().
  std::size_t dropped() const HAPTIC_REALTIME { return dropped_; }
  /// How deep the deepest of them was in the tool [m]; 0 where all lie outside or on its surface.
  double dropped_depth() const HAPTIC_REALTIME { return dropped_depth_; }
  /// Largest distance of neighbouring points along an edge at rest [m].
  double spacing() const { return samples_.spacing(); }

 private:
  struct Near {
    double distance;
    std::uint32_t point;     // a vertex, or vertex_count + a sample
    std::uint64_t priority;  // the lowest are kept
  };

  template <class Visit>
  void for_each(const NearSurface& near, const Pose& tool, std::span<const double> u,
                Visit visit) const HAPTIC_REALTIME;
  std::size_t keep(std::size_t found, double margin, std::span<const std::uint32_t> pressing,
                   std::size_t capacity) HAPTIC_REALTIME;

  SurfacePoint sample(std::uint32_t point) const HAPTIC_REALTIME {
    return samples_[point - surface_->vertex_count()];
  }

  const CondensedModel* model_;
  const CondensedSurface* surface_;
  const SignedField* field_;
  SurfaceSamples samples_;
  double negligible_;                 // depth [m]
  std::vector<std::uint32_t> ranks_;  // of vertices and samples
  std::vector<char> pressed_;         // of vertices and samples, only within keep()
  std::vector<Near> found_;
  std::size_t dropped_ = 0;
  double dropped_depth_ = 0.0;
};

}  // namespace haptic::condensed

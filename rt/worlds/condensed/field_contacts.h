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

  /// Writes the near points whose distance is below `margin` [m], those with the least distance if
  /// there are more than fit: vertices, then samples, each ascending.
  /// @returns how many were written
  std::size_t collect(const NearSurface& near, const Pose& tool, std::span<const double> u,
                      double margin, std::span<CondensedContact> contacts) HAPTIC_REALTIME;
  /// Contacts that did not fit at the last collect().
  std::size_t dropped() const HAPTIC_REALTIME { return dropped_; }
  /// Largest distance of neighbouring points along an edge at rest [m].
  double spacing() const { return samples_.spacing(); }

 private:
  struct Near {
    double distance;
    std::uint32_t point;  // a vertex, or vertex_count + a sample
    bool operator<(const Near& o) const HAPTIC_REALTIME {
      return distance < o.distance || (distance == o.distance && point < o.point);
    }
  };

  SurfacePoint sample(std::uint32_t point) const HAPTIC_REALTIME {
    return samples_[point - surface_->vertex_count()];
  }

  const CondensedModel* model_;
  const CondensedSurface* surface_;
  const SignedField* field_;
  SurfaceSamples samples_;
  std::vector<Near> found_;
  std::size_t dropped_ = 0;
};

}  // namespace haptic::condensed

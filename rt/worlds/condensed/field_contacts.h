#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/condensed/condensed_contact.h"
#include "rt/worlds/condensed/condensed_surface.h"
#include "rt/worlds/condensed/edge_meeting.h"
#include "rt/worlds/condensed/near_surface.h"
#include "rt/worlds/condensed/surface_samples.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The points of a condensed body that are, or may come within the step, inside the signed distance
/// field of a tool: distributed contact with a rigid body of any shape. These points are the
/// vertices, between them so many samples that the tool does not pass between them even where the
/// surface is stretched, and on each part of an edge between two of these the place where a sharp
/// edge of the tool meets it (edge_meeting), in steps of 1/64 of the part.
///
/// Poses are of the tool in the frame of the body's model.
class FieldContacts {
 public:
  /// @param field  of the tool, model frame of the tool; outlives the contacts, as do the others
  FieldContacts(const CondensedModel& model, const CondensedSurface& surface,
                const SignedField& field);

  /// Writes the near points whose distance is below `margin` [m]: vertices, then samples, then
  /// parts of edges, each ascending. If there are more than fit, those of `pressing` first, so that
  /// a tool that rests keeps its contacts; then the deepest, and of those that are about equally
  /// deep, as under a flat tool, evenly spread ones (spread_ranks).
  /// @param pressing  keys of contacts that pressed in the last step
  /// @returns how many were written
  std::size_t collect(const NearSurface& near, const Pose& tool, std::span<const double> u,
                      double margin, std::span<const std::uint32_t> pressing,
                      std::span<CondensedContact> contacts) HAPTIC_REALTIME;
  /// How far the tool can go in any direction before a point touches it, at most `most` [m]; 0
  /// where one does. @param near  of at least so much about the tool
  double clearance(const NearSurface& near, const Pose& tool, std::span<const double> u,
                   double most) HAPTIC_REALTIME;
  /// As made.
  void reset() HAPTIC_REALTIME;
  /// Points that did not fit at the last collect().
  std::size_t dropped() const HAPTIC_REALTIME { return dropped_; }
  /// How deep the deepest of them was in the tool [m]; 0 where all lie outside or on its surface.
  double dropped_depth() const HAPTIC_REALTIME { return dropped_depth_; }
  /// Largest distance of neighbouring points along an edge at rest [m].
  double spacing() const { return samples_.spacing(); }

 private:
  struct Near {
    double distance;
    std::uint32_t point;  // a vertex, vertex_count + a sample, or samples' end + a part of an edge
    std::uint64_t priority;  // the lowest are kept
  };
  struct Place {
    Vector3 at = Vector3::Zero();  // material frame of the tool
    double distance = 0.0;
    bool covered = false;  // by a part of an edge that meets the tool beside it
  };

  template <class Visit>
  void for_each(const NearSurface& near, const Pose& tool, std::span<const double> u, double margin,
                Visit visit) HAPTIC_REALTIME;
  void look_up(const NearSurface& near, const Pose& tool,
               std::span<const double> u) HAPTIC_REALTIME;
  void meet_edges(const NearSurface& near, double margin) HAPTIC_REALTIME;
  std::optional<EdgeMeeting> meeting(std::size_t edge_part, double margin) const HAPTIC_REALTIME;
  SurfacePoint surface_point(std::uint32_t point) const HAPTIC_REALTIME;
  void fill(CondensedContact& contact, const Near& near, const Pose& tool,
            std::span<const double> u) const HAPTIC_REALTIME;
  std::size_t keep(std::size_t found, double margin, std::span<const std::uint32_t> pressing,
                   std::size_t capacity) HAPTIC_REALTIME;

  const CondensedModel* model_;
  const CondensedSurface* surface_;
  const SignedField* field_;
  SurfaceSamples samples_;
  std::uint32_t vertex_count_, point_count_;  // vertices, and with samples
  double negligible_;                         // depth [m]
  std::vector<std::uint32_t> ranks_;          // of points and parts of edges
  std::vector<char> pressed_;                 // the same, only within keep()
  std::vector<Place> places_;                 // of points, of the last look_up()
  std::vector<EdgeMeeting> meetings_;         // of parts of edges that meet the tool
  std::vector<std::uint32_t> met_;            // these parts
  std::size_t met_count_ = 0;
  std::vector<double> met_at_;  // of parts of edges: the contact's place
  std::vector<Near> found_;
  std::size_t dropped_ = 0;
  double dropped_depth_ = 0.0;
};

}  // namespace haptic::condensed

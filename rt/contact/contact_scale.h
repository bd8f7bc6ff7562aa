#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rt/contact/contact_settings.h"
#include "rt/contact/contact_sites.h"
#include "rt/contact/touching_point.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;
class SignedField;

/// What the force of each point of a contact is multiplied by: ContactScaling, and the area that
/// the point represents (docs/methods/contact-and-coupling.md, "Scaling", "Area weights").
class ContactScale {
 public:
  /// Allocates all working memory; `weigh` allocates nothing.
  /// @param area_weights  one a shell point, or empty: all 1; outlives this
  /// @throws InputError if the tree has no cells for kPerSite
  ContactScale(const PointShell& shell, const PointTree& tree, const SignedField& field,
               const ContactSettings& settings, std::span<const float> area_weights);

  /// Takes a contact. @param touching  ascending by point
  /// @param level  deepest level that was looked at, from 1
  void weigh(std::span<const TouchingPoint> touching, std::uint32_t level) HAPTIC_REALTIME;

  /// Of the contact last weighed: the scale of its i-th point, > 0, common to the point's site.
  double scale(std::size_t i) const HAPTIC_REALTIME {
    return sites_ ? site_scale_[site_[i]] : scale_;
  }
  /// Site of its i-th point, 0 without kPerSite.
  std::uint32_t site(std::size_t i) const HAPTIC_REALTIME { return sites_ ? site_[i] : 0; }
  /// Of any point in sums over points: 1, more where it represents more of the surface.
  double weight(std::uint32_t point) const HAPTIC_REALTIME {
    return area_weights_.empty() ? 1.0 : area_weights_[point];
  }

 private:
  double scale_of(double count) const HAPTIC_REALTIME;

  ContactScaling scaling_;
  double limit_;  // L
  double scaling_depth_;
  std::span<const float> area_weights_;
  std::optional<ContactSites> sites_;

  // Of the contact last weighed.
  double scale_ = 1.0;               // where there are no sites
  std::vector<std::uint32_t> site_;  // a touching point
  std::vector<double> site_scale_;   // a site
};

}  // namespace haptic

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

/// Factors of the force of each point of a contact: the scale of ContactScaling, and the area that
/// the point represents (docs/methods/contact-and-coupling.md, "Scaling", "Area weights").
class ContactScale {
 public:
  /// Allocates all working memory; `weigh` allocates nothing.
  /// @param area_weights  one per shell point, or empty: all 1; outlives this object
  /// @throws InputError if the tree has no cells for kPerSite (ContactSites)
  ContactScale(const PointShell& shell, const PointTree& tree, const SignedField& field,
               const ContactSettings& settings, std::span<const float> area_weights);

  /// Computes the scales of a contact. @param touching  ascending by point
  /// @param level  deepest level rendered, from 1
  void weigh(std::span<const TouchingPoint> touching, std::uint32_t level) HAPTIC_REALTIME;

  /// Scale of the i-th point of the last contact, > 0, the same for all points of a site.
  double scale(std::size_t i) const HAPTIC_REALTIME {
    return sites_ ? site_scale_[site_[i]] : scale_;
  }
  /// Site of the i-th point, 0 without kPerSite.
  std::uint32_t site(std::size_t i) const HAPTIC_REALTIME { return sites_ ? site_[i] : 0; }
  /// Area weight of any point of the shell; 1 without area weights.
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

  // Of the last contact.
  double scale_ = 1.0;               // without sites
  std::vector<std::uint32_t> site_;  // per touching point
  std::vector<double> site_scale_;   // per site
};

}  // namespace haptic

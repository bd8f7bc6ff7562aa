#include "rt/contact/contact_scale.h"

#include <algorithm>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"

namespace haptic {
namespace {

/// Depth from which a point counts fully in kSmooth, relative to the field's edge. It is small,
/// because the smooth law can push a flat contact of less depth harder than a deeper one.
constexpr double kScalingDepth = 0.05;

double smoothstep(double t) HAPTIC_REALTIME {
  const double u = std::clamp(t, 0.0, 1.0);
  return u * u * (3.0 - 2.0 * u);
}

}  // namespace

ContactScale::ContactScale(const PointShell& shell, const PointTree& tree, const SignedField& field,
                           const ContactSettings& settings, std::span<const float> area_weights)
    : scaling_(settings.scaling),
      limit_(settings.scaling_count),
      scaling_depth_(settings.scaling_depth.value_or(kScalingDepth * field.edge())),
      area_weights_(area_weights) {
  if (scaling_ != ContactScaling::kPerSite) return;
  sites_.emplace(shell, tree);
  site_.resize(shell.size());
  site_scale_.resize(sites_->cell_count());
}

double ContactScale::scale_of(double count) const HAPTIC_REALTIME {
  return count > limit_ ? limit_ / count : 1.0;
}

void ContactScale::weigh(std::span<const TouchingPoint> touching,
                         std::uint32_t level) HAPTIC_REALTIME {
  scale_ = 1.0;
  if (scaling_ == ContactScaling::kNone) return;
  if (sites_) {
    const std::uint32_t count = sites_->group(touching, level, {site_.data(), touching.size()});
    std::fill_n(site_scale_.begin(), count, 0.0);
    for (std::size_t i = 0; i < touching.size(); ++i) {
      site_scale_[site_[i]] += weight(touching[i].point);
    }
    for (std::uint32_t s = 0; s < count; ++s) site_scale_[s] = scale_of(site_scale_[s]);
    return;
  }
  double count = 0.0;
  const bool smooth = scaling_ == ContactScaling::kSmooth;
  for (const TouchingPoint& t : touching) {
    count += weight(t.point) * (smooth ? smoothstep(-t.distance / scaling_depth_) : 1.0);
  }
  scale_ = scale_of(count);
}

}  // namespace haptic

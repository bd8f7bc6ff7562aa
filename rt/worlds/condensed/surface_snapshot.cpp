#include "rt/worlds/condensed/surface_snapshot.h"

#include <algorithm>
#include <utility>

namespace haptic::condensed {

SurfaceSnapshot::SurfaceSnapshot(const CondensedSurface& surface, std::size_t dof, const Pose& pose,
                                 std::size_t cycles)
    : surface_(&surface),
      pose_(pose),
      a_cycle_((surface.vertex_count() + cycles - 1) / cycles),
      u_(dof, 0.0),
      shown_(3 * surface.vertex_count()),
      made_(3 * surface.vertex_count()) {
  reset();
}

void SurfaceSnapshot::place(std::size_t vertex, std::vector<double>& into) HAPTIC_REALTIME {
  const Vector3 p = pose_.to_world(surface_->position(static_cast<std::uint32_t>(vertex), u_));
  for (std::size_t k = 0; k < 3; ++k) into[3 * vertex + k] = p[static_cast<Eigen::Index>(k)];
}

void SurfaceSnapshot::reset() HAPTIC_REALTIME {
  std::fill(u_.begin(), u_.end(), 0.0);
  next_ = 0;
  for (std::size_t v = 0; v < surface_->vertex_count(); ++v) place(v, shown_);
}

void SurfaceSnapshot::advance(std::span<const double> u) HAPTIC_REALTIME {
  if (next_ == 0) std::copy(u.begin(), u.end(), u_.begin());
  const std::size_t end = std::min(next_ + a_cycle_, surface_->vertex_count());
  for (; next_ < end; ++next_) place(next_, made_);
  if (next_ < surface_->vertex_count()) return;
  std::swap(shown_, made_);
  next_ = 0;
}

}  // namespace haptic::condensed

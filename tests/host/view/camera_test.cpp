#include "host/view/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

// From above, the near end of a tall box spans more of the image than its bounding sphere.
TEST(Camera, frames_boxes_of_every_shape) {
  for (const Eigen::Vector3d& size : {Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(0.02, 1, 0.02),
                                      Eigen::Vector3d(3, 0.1, 0.1), Eigen::Vector3d(1, 0.01, 5)}) {
    for (const double elevation : {-0.4, 0.0, 0.4, 1.2}) {
      for (const double aspect : {0.5, 4.0 / 3.0, 3.0}) {
        const Eigen::Vector3d centre(0.3, -2.0, 1.0);
        const Eigen::AlignedBox3d box(centre - 0.5 * size, centre + 0.5 * size);
        const Camera camera = Camera::framing(box, aspect, 0.6, elevation);
        const Eigen::Matrix4d clip = camera.projection() * camera.view();
        double widest = 0.0;
        for (int corner = 0; corner < 8; ++corner) {
          const Eigen::Vector3d p =
              box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner));
          const Eigen::Vector4d c = clip * p.homogeneous();
          ASSERT_GT(c.w(), 0.0);
          widest = std::max({widest, std::abs(c.x() / c.w()), std::abs(c.y() / c.w())});
        }
        EXPECT_LE(widest, 1.0) << size.transpose() << ", " << elevation << ", " << aspect;
        EXPECT_GE(widest, 0.25) << size.transpose() << ", " << elevation << ", " << aspect;
      }
    }
  }
}

}  // namespace
}  // namespace haptic

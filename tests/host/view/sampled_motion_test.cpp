#include "host/view/sampled_motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace haptic {
namespace {

/// 30 coordinates in 40 samples that three waves span.
Eigen::MatrixXf three_waves() {
  Eigen::MatrixXf samples(30, 40);
  for (int t = 0; t < 40; ++t) {
    for (int i = 0; i < 30; ++i) {
      samples(i, t) = static_cast<float>(1.0 + std::sin(0.3 * t) * std::cos(0.2 * i) +
                                         0.1 * std::cos(0.5 * t) * std::sin(0.7 * i) +
                                         0.01 * std::sin(0.9 * t) * i / 30.0);
    }
  }
  return samples;
}

TEST(SampledMotion, three_waves_are_three_shapes_and_each_sample_is_restored) {
  const Eigen::MatrixXf samples = three_waves();
  Eigen::MatrixXf left = samples;
  const SampledMotion motion = decompose_motion(left, 1e-5, 64);
  EXPECT_EQ(motion.shapes.cols(), 3);
  const Eigen::MatrixXf restored = (motion.shapes * motion.weights).colwise() + motion.mean;
  // The error that is told is the one that is there, to the rounding of floats of size 2.
  EXPECT_NEAR((restored - samples).cwiseAbs().maxCoeff(), motion.error, 2e-6);
  EXPECT_LE(motion.error, 1e-5);
}

TEST(SampledMotion, fewer_shapes_than_needed_leave_an_error_that_is_told) {
  const Eigen::MatrixXf samples = three_waves();
  Eigen::MatrixXf left = samples;
  const SampledMotion motion = decompose_motion(left, 1e-5, 2);
  EXPECT_EQ(motion.shapes.cols(), 2);
  EXPECT_GT(motion.error, 1e-3);  // the third wave has an amplitude of 0.01
  const Eigen::MatrixXf restored = (motion.shapes * motion.weights).colwise() + motion.mean;
  EXPECT_NEAR((restored - samples).cwiseAbs().maxCoeff(), motion.error, 2e-6);
}

TEST(SampledMotion, a_body_at_rest_has_no_shapes) {
  Eigen::MatrixXf samples = Eigen::MatrixXf::Constant(9, 5, 0.25F);
  const SampledMotion motion = decompose_motion(samples, 1e-5, 64);
  EXPECT_EQ(motion.shapes.cols(), 0);
  EXPECT_EQ(motion.error, 0.0);
}

}  // namespace
}  // namespace haptic

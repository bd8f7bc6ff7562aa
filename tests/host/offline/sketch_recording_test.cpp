// A scripted hand and the hand of a daemon, pulling the linear static model.
#include "host/offline/sketch_recording.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "host/reduction/linear_modes.h"
#include "shared/error.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/host/reduction/beam.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

class Sketch : public testing::Test {
 protected:
  Sketch()
      : model(held_beam(6, 2, 2)),
        rest(factor_rest_stiffness(model)),
        vertex(static_cast<std::uint32_t>(model.vertex_count() - 1)),
        body(model, rest, vertex) {}
  StvkModel model;
  SparseFactorization rest;
  std::uint32_t vertex;
  PulledBody body;
};

// The spring's force is that of its stretch, and the body's displacement that of the linear static
// solution under it.
TEST_F(Sketch, spring_and_body_are_in_equilibrium) {
  const Vector3 hand(0.01, -0.03, 0.02), force = body.force(hand);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  f.tail<3>() = force;
  const Vector3 moved = rest.solve(model.restrict_to_free(f)).bottomRows<3>();
  EXPECT_LE((force - body.stiffness() * (hand - moved)).norm(), 1e-9 * force.norm());
  EXPECT_LE((body.displacement(force) - moved).norm(), 1e-9 * moved.norm());
  EXPECT_LE((hand - moved).norm(), 0.25 * hand.norm());
  EXPECT_NEAR(PulledBody(model, rest, vertex, 3.0).stiffness(), 3.0, 0.0);
  EXPECT_THROW(PulledBody(model, rest, model.fixed_vertices()[0]), InputError);
  EXPECT_THROW(PulledBody(model, rest, vertex, 0.0), InputError);
  EXPECT_THROW(PulledBody(model, rest, 100000), InputError);
}

TEST_F(Sketch, script_is_sampled_from_where_the_hand_begins) {
  const Vector3 begin(0.1, 0.2, 0.3), end(0.1, 0.2, 0.2);
  const HandScript hand(
      {{2.0, Pose{begin, Quaternion::Identity()}}, {2.5, Pose{end, Quaternion::Identity()}}});
  const auto samples = sketch_of_script(body, vertex, hand, {.rate_hz = 10.0, .scale = 0.5});
  ASSERT_EQ(samples.size(), 6U);
  EXPECT_EQ(samples[0].forces[0].force.norm(), 0.0);
  EXPECT_NEAR(samples[5].time, 0.5, 1e-12);
  const Vector3 last = body.force(0.5 * (end - begin));
  EXPECT_LE((samples[5].forces[0].force - last).norm(), 1e-12 * last.norm());
  EXPECT_EQ(samples[3].forces[0].vertex, vertex);
  EXPECT_THROW(sketch_of_script(body, vertex, hand, {.rate_hz = 0.0}), InputError);
}

TEST_F(Sketch, hand_of_a_daemon_is_read_from_its_telemetry) {
  const std::string name = test_name("sketch");
  TelemetryDescription description;
  description.rate_hz = 1000.0;
  auto writer = std::make_unique<TelemetryWriter>(name, description);
  const auto hand_at = [](std::uint64_t cycle) {
    return Vector3(0.5, 1e-4 * static_cast<double>(cycle), -0.2);
  };
  std::atomic<bool> stop{false};
  std::thread daemon([&] {
    // The daemon ends normally after a time long enough for the reader to attach.
    for (std::uint64_t cycle = 0; cycle < 800; ++cycle) {
      SampleRecord sample{};
      sample.cycle = cycle;
      Eigen::Map<Vector3>(sample.device_pose.position_m) = hand_at(cycle);
      writer->publish(sample, {});
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    writer.reset();
  });
  std::vector<ForceSample> samples;
  EXPECT_NO_THROW(samples = sketch_of_daemon(body, vertex, name, 0.2, {.rate_hz = 100.0}, stop));
  daemon.join();
  ASSERT_GE(samples.size(), 2U);
  ASSERT_LE(samples.size(), 21U);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_NEAR(samples[i].time, 0.01 * static_cast<double>(i), 1e-9);
    const Vector3 expected = body.force(Vector3(0.0, 1e-3 * static_cast<double>(i), 0.0));
    EXPECT_LE((samples[i].forces[0].force - expected).norm(), 1e-9);
  }
  EXPECT_THROW(sketch_of_daemon(body, vertex, name, 0.2, {}, stop), OperationError);
}

}  // namespace
}  // namespace haptic

#include "host/view/log_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared/error.h"

namespace haptic {
namespace {

template <typename Position, typename Orientation>
Pose to_pose(const Position& p, const Orientation& q) {
  return {Vector3(p[0], p[1], p[2]), Quaternion(q[0], q[1], q[2], q[3])};
}

void add_force(SceneFrame& frame, const SampleRecord& record) {
  const double* f = record.contact_wrench.force_N;
  frame.force = Vector3(f[0], f[1], f[2]);
  frame.force_origin =
      to_pose(record.held_pose.position_m, record.held_pose.orientation_wxyz).position;
}

FrameBody frame_body(const std::string& name, const std::string& model, const Pose& pose,
                     const std::vector<double>& coordinates, std::uint32_t first,
                     std::uint32_t count) {
  if (first + std::uint64_t{count} > coordinates.size()) {
    throw InputError(name, "coordinates",
                     fmt::format("numbers {} to {} of {}", first, first + std::uint64_t{count},
                                 coordinates.size()),
                     "a body inside the scene's coordinates");
  }
  const auto begin = coordinates.begin() + first;
  return {name, parse_source(model), pose, std::vector<double>(begin, begin + count)};
}

}  // namespace

SceneFrame frame_of(const LogReader& log, std::uint64_t row) {
  const LogSample sample = log.sample(row);
  SceneFrame frame;
  for (const LogBody& body : log.description().bodies) {
    const Pose pose = body.held ? to_pose(sample.record.held_pose.position_m,
                                          sample.record.held_pose.orientation_wxyz)
                                : to_pose(body.position_m, body.orientation_wxyz);
    frame.bodies.push_back(frame_body(body.name, body.model_path, pose, sample.coordinates,
                                      body.first_coordinate, body.coordinate_count));
  }
  add_force(frame, sample.record);
  return frame;
}

SceneFrame frame_of(const TelemetryReader& reader) {
  TelemetrySnapshot snapshot;
  if (!reader.snapshot(snapshot)) throw OperationError("the daemon has not run a cycle");
  SceneFrame frame;
  for (std::size_t b = 0; b < reader.bodies().size(); ++b) {
    const BodyRecord& body = reader.bodies()[b];
    frame.bodies.push_back(
        frame_body(body.name, body.model_path,
                   to_pose(snapshot.poses[b].position_m, snapshot.poses[b].orientation_wxyz),
                   snapshot.coordinates, body.first_coordinate, body.coordinate_count));
  }
  add_force(frame, snapshot.record);
  return frame;
}

std::uint64_t row_of_strongest_contact(const LogReader& log) {
  const std::vector<double> force = log.column("/samples/contact_force_N");
  std::uint64_t best = 0;
  double strongest = 0.0;
  for (std::uint64_t row = 0; row < log.rows(); ++row) {
    const double squared = force[3 * row] * force[3 * row] +
                           force[3 * row + 1] * force[3 * row + 1] +
                           force[3 * row + 2] * force[3 * row + 2];
    if (squared > strongest) {
      strongest = squared;
      best = row;
    }
  }
  return best;
}

std::uint64_t row_at(const LogReader& log, double time_s) {
  const std::vector<double> time = log.column("/samples/time_s");
  const auto found = std::lower_bound(time.begin(), time.end(), time_s);
  if (found == time.end()) {
    throw InputError("--at", "", fmt::format("found {} s", time_s),
                     time.empty() ? "a log with rows" : fmt::format("at most {} s", time.back()));
  }
  return static_cast<std::uint64_t>(found - time.begin());
}

}  // namespace haptic

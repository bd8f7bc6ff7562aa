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

/// Common part of the bodies of a log and of a daemon.
template <class Bodies>
void add_bodies(SceneFrame& frame, const Bodies& bodies, const StateLayout& layout,
                std::span<const double> state) {
  const auto poses = layout.values(StateLayout::kBodyPoses, state);
  const auto coordinates = layout.values(StateLayout::kBodyCoordinates, state);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const std::string name = bodies[b].name;
    const std::uint64_t first = bodies[b].first_coordinate, count = bodies[b].coordinate_count;
    if (7 * (b + 1) > poses.size()) {
      throw InputError(name, "", fmt::format("found {} poses", poses.size() / 7),
                       "one for each body");
    }
    if (first + count > coordinates.size()) {
      throw InputError(
          name, "coordinates",
          fmt::format("numbers {} to {} of {}", first, first + count, coordinates.size()),
          "a body inside the scene's coordinates");
    }
    const double* const p = &poses[7 * b];
    const auto q = coordinates.begin() + static_cast<std::ptrdiff_t>(first);
    frame.bodies.push_back({name, parse_source(bodies[b].model_path), to_pose(p, p + 3),
                            std::vector<double>(q, q + static_cast<std::ptrdiff_t>(count))});
  }
}

/// Vertex and pose blocks of one rate; the bodies' poses are not among them.
template <class Value>
void add_blocks(SceneFrame& frame, const StateLayout& layout, StateRate rate,
                std::span<const Value> state) {
  for (std::size_t i = 0; i < layout.blocks().size(); ++i) {
    const StateBlock& block = layout.blocks()[i];
    if (block.rate != rate || block.name == StateLayout::kBodyPoses) continue;
    const std::span<const Value> values = layout.values(i, state);
    if (block.display == StateDisplay::kVertices) {
      for (std::size_t k = 0; k + 3 <= values.size(); k += 3) {
        frame.points.emplace_back(values[k], values[k + 1], values[k + 2]);
      }
    } else if (const auto body = body_of_surface(block); body && *body < frame.bodies.size()) {
      std::vector<Vector3>& surface = frame.bodies[*body].surface;
      for (std::size_t k = 0; k + 3 <= values.size(); k += 3) {
        surface.emplace_back(values[k], values[k + 1], values[k + 2]);
      }
    } else if (block.display == StateDisplay::kPose) {
      for (std::size_t k = 0; k + 7 <= values.size(); k += 7) {
        frame.frames.push_back(to_pose(&values[k], &values[k + 3]));
      }
    }
  }
}

}  // namespace

SceneFrame frame_of(const LogReader& log, std::uint64_t row) {
  const LogSample sample = log.sample(row);
  const StateLayout& layout = log.description().state;
  SceneFrame frame;
  try {
    add_bodies(frame, log.description().bodies, layout, std::span(sample.state));
  } catch (const InputError& error) {
    throw InputError(log.path().string(), "", error.what());
  }
  add_blocks(frame, layout, StateRate::kCycle, std::span<const double>(sample.state));
  if (const std::optional<DisplaySnapshot> display = log.display(sample.record.cycle)) {
    add_blocks(frame, layout, StateRate::kDisplay, std::span<const float>(display->state));
  }
  add_force(frame, sample.record);
  return frame;
}

SceneFrame frame_of(const TelemetryReader& reader) {
  TelemetrySample newest;
  if (!reader.newest(newest)) throw OperationError("the daemon has not run a cycle");
  SceneFrame frame;
  add_bodies(frame, reader.bodies(), reader.state(), std::span(newest.state));
  add_blocks(frame, reader.state(), StateRate::kCycle, std::span<const double>(newest.state));
  DisplaySnapshot display;
  if (reader.display(display)) {
    add_blocks(frame, reader.state(), StateRate::kDisplay, std::span<const float>(display.state));
  }
  add_force(frame, newest.record);
  return frame;
}

SceneFrame frame_of(const std::vector<LogBody>& bodies, const StateLayout& layout,
                    const SampleRecord& record, std::span<const double> state,
                    std::span<const float> display) {
  SceneFrame frame;
  add_bodies(frame, bodies, layout, state);
  add_blocks(frame, layout, StateRate::kCycle, state);
  add_blocks(frame, layout, StateRate::kDisplay, display);
  add_force(frame, record);
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
  const std::vector<double> time = log.times();
  const auto found = std::lower_bound(time.begin(), time.end(), time_s);
  if (found == time.end()) {
    throw InputError("--at", "", fmt::format("found {} s", time_s),
                     time.empty() ? "a log with rows" : fmt::format("at most {} s", time.back()));
  }
  return static_cast<std::uint64_t>(found - time.begin());
}

}  // namespace haptic

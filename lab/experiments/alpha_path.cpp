// Finds the hand path that solves the alpha puzzle of scenes/alpha_puzzle
// (Barbic 2007, Fig. 3.31) and writes it as a hand script: the loop of the bar in the hand
// slides like a ring along the fixed bar, through the gap between its legs and off the end of one.
//
// usage: alpha_path MODEL.h5 HAND.csv [seed]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "lab/experiments/puzzle_planner.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"
#include "shared/math/pose.h"

namespace haptic {
namespace {

// As the recipe's mesh: haptic mesh alpha --set gap=0.0144.
constexpr double kSize = 0.12, kRadius = 0.006, kGap = 0.0144, kLeg = 1.4;
constexpr double kScale = (kSize - 2.0 * kRadius) / (kLeg * kLeg);
constexpr double kLever = 0.03;                       // m per rad
constexpr double kSpeed = 0.04, kAngularSpeed = 0.8;  // of the hand [m/s, rad/s]

/// Centre line, legs end at t = -kLeg and kLeg; beyond, straight on.
Vector3 centre_line(double t) {
  const double c = std::clamp(t, -kLeg, kLeg);
  const double x = c * c - 1.0, y = 0.7 * c * x;
  const double lift = 0.5 * kGap + kRadius;
  const double z = lift * std::sin(0.5 * std::numbers::pi * std::clamp(c, -1.0, 1.0));
  const Vector3 p(kScale * x, z, -kScale * y);  // the catalogue turns z up to y up
  if (c == t) return p;
  const Vector3 along(kScale * 2.0 * c, 0.0, -kScale * 0.7 * (3.0 * c * c - 1.0));
  return p + (t - c) * along;
}

Vector3 tangent(double t) {
  return (centre_line(t + 1e-4) - centre_line(t - 1e-4)).normalized();
}

/// Position of the loop in the hand along the fixed bar.
double progress(const Pose& pose, const Vector3& hole) {
  const Vector3 c = pose.to_world(hole);
  double best = 0.0, least = 1e9;
  for (double t = -0.5; t < 2.6; t += 0.01) {
    const double d = (centre_line(t) - c).norm();
    if (d < least) least = d, best = t;
  }
  return best;
}

void write_script(const std::vector<Pose>& path, const std::string& file) {
  std::ofstream out(file);
  out << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n";
  double time = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Quaternion& q = path[i].orientation;
    const Vector3& p = path[i].position;
    if (i > 0) {
      const Pose& before = path[i - 1];
      const double turn = rotation_logarithm(q * before.orientation.conjugate()).norm();
      time += std::max({(p - before.position).norm() / kSpeed, turn / kAngularSpeed, 0.002});
    }
    out << fmt::format("{:.4f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", time, p.x(),
                       p.y(), p.z(), q.w(), q.x(), q.y(), q.z());
    if (i == 0) time += 0.5;
    if (i == 0)
      out << fmt::format("{:.4f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", time, p.x(),
                         p.y(), p.z(), q.w(), q.x(), q.y(), q.z());
  }
  if (!out) throw OperationError(fmt::format("{}: cannot be written", file));
}

int plan(const std::string& model_file, const std::string& script, std::uint64_t seed) {
  const ModelFile model{std::filesystem::path(model_file)};
  const PointShell shell(model);
  const PointTree tree(model);
  DistanceField field(model);
  for (double t = -1.3; t < 1.35; t += 0.1) {
    const double d = field.distance_and_gradient(centre_line(t)).distance;
    if (std::abs(d + kRadius) < 0.0012) continue;
    throw InputError(model_file, "/field", fmt::format("found {:.4f} m at t = {:.1f}", d, t),
                     "the alpha of scenes/alpha_puzzle");
  }
  PuzzlePlanner planner(shell, tree, field, kLever, seed);
  const double h = field.edge();
  const Vector3 hole(-0.62 * kScale, 0.0, 0.0);  // middle of the loop, model frame
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::normal_distribution<double> normal;
  PuzzlePlanner::Random& random = planner.random();
  const auto threaded = [&](double t, double spread) {
    // Loop about the bar at t: normal of its plane along the bar, any turn about it.
    const Quaternion onto = smallest_rotation(Vector3::UnitY(), tangent(t));
    const Quaternion about = rotation_exponential(std::numbers::pi * unit(random) * tangent(t));
    const Quaternion tilt = rotation_exponential(
        0.4 * spread * Vector3(normal(random), normal(random), normal(random)));
    Pose pose;
    pose.orientation = (tilt * about * onto).normalized();
    const Vector3 offset(normal(random), normal(random), normal(random));
    pose.position = centre_line(t) + 0.004 * spread * offset - pose.orientation * hole;
    return pose;
  };

  Pose start;
  double best = -1.0;
  for (int i = 0; i < 400; ++i) {
    Pose pose = threaded(0.0, 0.5);
    if (!planner.retract(pose, 1.5 * h)) continue;
    const double c = planner.clearance(pose);
    if (std::abs(progress(pose, hole)) < 0.1 && c > best) best = c, start = pose;
  }
  if (best < 0.0) throw OperationError("no start pose without contact");
  fmt::print("start: clear by {:.2f} voxels\n", best / h);

  double furthest = 0.0;
  const auto sample = [&]() {
    return threaded(std::max(0.0, furthest + 0.35 * unit(random)), 1.0);
  };
  const auto solved = [&](const Pose& pose) {
    const double t = progress(pose, hole);
    if (t > furthest + 0.02) {
      furthest = t;
      fmt::print("at {:.2f} of {:.2f} along the bar\n", t, kLeg + 0.5);
      std::fflush(stdout);
    }
    return t > kLeg + 0.5;
  };
  std::vector<Pose> path = planner.search(start, sample, solved, 200000, 0.05 * h);
  if (path.empty()) throw OperationError("no path found");
  // Out and away.
  Pose away = path.back();
  away.position += 0.06 * tangent(kLeg);
  if (planner.is_free(path.back(), away)) path.push_back(away);
  const std::size_t found = path.size();
  planner.smooth(path, 6000, 0.35 * h);
  double least = 1e9;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    for (int k = 0; k <= 8; ++k) {
      least = std::min(least, planner.clearance(interpolated(path[i], path[i + 1], k / 8.0)));
    }
  }
  fmt::print("{} poses, smoothed to {}; least clearance {:.2f} voxels of {:.2f} mm\n", found,
             path.size(), least / h, 1e3 * h);
  write_script(path, script);
  return 0;
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: alpha_path MODEL.h5 HAND.csv [seed]\n");
    return haptic::kExitBadInput;
  }
  try {
    return haptic::plan(argv[1], argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "alpha_path: {}\n", error.what());
    return haptic::kExitFailed;
  }
}

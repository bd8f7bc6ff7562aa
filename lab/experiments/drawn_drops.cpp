// Rigid bodies dropped on the ground, on a block and on each other, turned as chance has it:
// whether they come to rest, and whether what still moves slows down.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lab/experiments/drawn_bodies.h"
#include "lab/experiments/experiment.h"
#include "lab/samples/state_value.h"
#include "rt/worlds/body_blocks.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {
namespace {

constexpr double kLength = 0.06;                   // of the bodies [m]
constexpr double kBlock = 0.03, kBlockTop = 0.03;  // sides and top of the block [m]
constexpr std::size_t kBodies = 5;                 // of a drop
constexpr double kFall_s = 8.0, kLook_s = 0.5;     // and before its end, when speeds are compared
constexpr double kRest = 1e-6;                     // m/s
constexpr double kCreated = 1e-6;  // created energy, relative to the work of the contacts

/// What chance decides of a drop.
struct Drop {
  double rate = 0.0, stiffness = 0.0, damping = 0.0;
  bool turning_friction = false;
};

struct Result {
  double created = 0.0;  // created energy, relative to the work of the contacts
  // Of each body [m/s]: largest speed in the last half second but one and in the last, and at the
  // end.
  std::vector<double> earlier, tip, speed;
  bool fails = false;  // whether the world diverged
};

class Drops {
 public:
  explicit Drops(const Experiment& experiment)
      : files_(experiment.path("files", "")),
        models_(bake_drawn_bodies(experiment, files_, kLength)) {}

  Scene draw(std::uint64_t seed, Drop& drop) {
    Draw draw(seed);
    constexpr double kRates[] = {250.0, 1000.0, 4000.0};
    drop.rate = kRates[draw.below(std::size(kRates))];
    drop.stiffness = draw.logarithmic(500.0, 50'000.0);
    drop.damping = draw.logarithmic(1.0, 20.0);
    drop.turning_friction = draw.below(2) == 0;
    std::string text = "gravity = [0.0, -9.81, 0.0]\n" + ground_scene(drop.rate);
    text += fmt::format(
        "[[body]]\nname = \"block\"\nshape = \"box\"\nx = {0}\ny = {0}\nz = {0}\n"
        "role = \"anchored\"\nposition = [0.0, {1}, 0.0]\n",
        kBlock, kBlockTop - 0.5 * kBlock);
    for (std::size_t i = 0; i < kBodies; ++i) {
      const Quaternion q = draw.orientation();
      const std::string& model = models_[draw.below(models_.size())];
      const double x = draw.uniform(-0.5, 0.5) * kLength, z = draw.uniform(-0.5, 0.5) * kLength;
      text += fmt::format(
          "[[body]]\nname = \"body {}\"\nmodel = \"{}.h5\"\nrole = \"free\"\n"
          "position = [{}, {}, {}]\norientation = [{}, {}, {}, {}]\n",
          i, model, x, 1.2 * kLength * static_cast<double>(i + 1), z, q.w(), q.x(), q.y(), q.z());
    }
    text += fmt::format(
        "[[contact]]\namong = \"free\"\ntwo_way = true\nstiffness = {}\ndamping = {}\n"
        "friction = {{ static = 0.5, dynamic = 0.4 }}\n{}",
        drop.stiffness, drop.damping,
        drop.turning_friction ? "rolling_friction = 2e-4\nspinning_friction = 2e-4\n" : "");
    files_.add_file("scene.toml", text);
    return load_scene(files_.folder() / "scene.toml");
  }

 private:
  MadeScene files_;
  std::vector<std::string> models_;
};

/// Speeds of the bodies' ends over a step [m/s].
std::vector<double> speeds(const std::vector<Pose>& before, const std::vector<Pose>& after,
                           double dt) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Quaternion turn = after[i].orientation * before[i].orientation.conjugate();
    const double angle = 2.0 * turn.vec().norm();
    speeds.push_back(((after[i].position - before[i].position).norm() + 0.5 * kLength * angle) /
                     dt);
  }
  return speeds;
}

std::vector<Pose> free_poses(const World& world) {
  const std::span<const double> values =
      world.state(world.state_layout().find(StateLayout::kBodyPoses).value());
  std::vector<Pose> poses;
  for (std::size_t i = values.size() / 7 - kBodies; i < values.size() / 7; ++i) {
    poses.push_back(read_pose(values.subspan(7 * i).first<7>()));
  }
  return poses;
}

Result play(const Scene& scene) {
  solids::SolidsWorld world(scene, nullptr);
  Result result;
  WorldOutput output;
  const auto end = static_cast<std::size_t>(kFall_s * scene.rate_hz);
  const auto look = static_cast<std::size_t>((kFall_s - kLook_s) * scene.rate_hz);
  std::vector<Pose> before = free_poses(world);
  for (std::size_t i = 0; i < end; ++i) {
    if (world.step({}, output) != WorldStatus::kOk) {
      result.fails = true;
      return result;
    }
    result.created = std::max(result.created, state_value(world, "contact/created_energy"));
    const std::vector<Pose> after = free_poses(world);
    const std::vector<double> now = speeds(before, after, 1.0 / scene.rate_hz);
    before = after;
    if (i + 1 == end) {
      result.speed = now;
    } else if (i >= look) {
      result.tip.resize(kBodies);
      for (std::size_t b = 0; b < kBodies; ++b) result.tip[b] = std::max(result.tip[b], now[b]);
    } else if (i + static_cast<std::size_t>(kLook_s * scene.rate_hz) >= look) {
      result.earlier.resize(kBodies);
      for (std::size_t b = 0; b < kBodies; ++b) {
        result.earlier[b] = std::max(result.earlier[b], now[b]);
      }
    }
  }
  const double work = state_value(world, "contact/work");
  result.created = work > 0.0 ? result.created / work : 0.0;
  return result;
}

void drawn_drops(Experiment& experiment) {
  Drops drops(experiment);
  ResultTable table({"seed", "body", "rate [Hz]", "stiffness [N/m]", "damping [s/m]",
                     "friction against turning", "speed at 7 to 7.5 s [m/s]", "at 7.5 to 8 s [m/s]",
                     "at 8 s [m/s]"});
  int dropped = 0, moving = 0, moving_with_friction = 0, gaining = 0, fails = 0;
  double created = 0.0;
  ResultTable creating({"seed", "rate [Hz]", "stiffness [N/m]", "damping [s/m]", "created / work"});
  for (const std::uint64_t seed : experiment.seeds(40, 3)) {
    Drop drop;
    const Scene scene = drops.draw(seed, drop);
    const Result result = play(scene);
    fails += result.fails;
    if (result.fails) continue;
    dropped += kBodies;
    created = std::max(created, result.created);
    if (!(result.created <= kCreated)) {
      creating.add({std::to_string(seed), fmt::format("{:.0f}", drop.rate),
                    fmt::format("{:.2g}", drop.stiffness), fmt::format("{:.2g}", drop.damping),
                    fmt::format("{:.2g}", result.created)});
    }
    for (std::size_t i = 0; i < kBodies; ++i) {
      if (result.speed[i] <= kRest && result.tip[i] <= kRest) continue;
      ++moving;
      moving_with_friction += drop.turning_friction;
      gaining += result.tip[i] > result.earlier[i];
      table.add({std::to_string(seed), std::to_string(i), fmt::format("{:.0f}", drop.rate),
                 fmt::format("{:.2g}", drop.stiffness), fmt::format("{:.2g}", drop.damping),
                 drop.turning_friction ? "yes" : "no", fmt::format("{:.2g}", result.earlier[i]),
                 fmt::format("{:.2g}", result.tip[i]), fmt::format("{:.2g}", result.speed[i])});
    }
  }
  experiment.report("bodies that move after 8 s; of their ends the largest speed in half a second",
                    table);
  experiment.report("drops in which contacts create more than a millionth of their work", creating,
                    "creating");
  fmt::print("{} bodies, of which {} move; of these {} have friction against turning\n", dropped,
             moving, moving_with_friction);
  experiment.at_least("bodies dropped", dropped, 1.0);
  experiment.at_most("faults", fails, 0.0);
  experiment.at_most("bodies with friction against turning that move", moving_with_friction, 0.0);
  experiment.at_most("moving bodies that gain speed", gaining, 0.0);
  experiment.at_most("energy created over the work of the contacts", created, 0.05);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "drawn_drops",
                                "Rigid bodies dropped as seeds have it, and whether they rest",
                                haptic::drawn_drops, haptic::Shape::kDrawn);
}

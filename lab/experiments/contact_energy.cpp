// Whether contact adds energy: free bodies with random shapes, stiffness, damping, friction and
// time step collide with each other, with a plane and with a soft pad, and rest in stacks
// (docs/methods/multibody.md, "Acceptance tests").
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/made_scene.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {
namespace {

enum class Ground : std::uint8_t { kNone, kPlane, kPad };
constexpr const char* kGroundName[] = {"each other", "a plane", "a soft pad"};

/// Limits of the relative gain: rounding for rigid bodies; for the pad, the energy error of
/// Newmark's method on a nonlinear body.
constexpr double kRounding = 1e-12, kSoft = 0.1;

/// Results of the trials with one kind of ground.
struct Findings {
  std::uint64_t trials = 0, impacts = 0, faults = 0;
  double gain = 0.0;          // largest energy above the start's, over the start's
  double kept = 0.0;          // sum of the energy kept by elastic trials, over the start's
  std::uint64_t elastic = 0;  // trials without damping and friction, not stiff for their step
  std::string worst;          // settings of the trial with the largest gain

  void add(const Findings& other) {
    if (other.gain > gain) {
      gain = other.gain;
      worst = other.worst;
    }
    trials += other.trials;
    impacts += other.impacts;
    faults += other.faults;
    kept += other.kept;
    elastic += other.elastic;
  }
};

class Trial {
 public:
  Trial(std::uint64_t seed, Ground ground, bool of_shell)
      : random_(seed), seed_(seed), ground_(ground), of_shell_(of_shell) {
    stacked_ = ground_ == Ground::kPlane && random_() % 2 == 0;
    rate_ = std::array{500.0, 1000.0, 2000.0, 4000.0}[random_() % 4];
    elastic_ = random_() % 4 == 0;
    stiffness_ = std::pow(10.0, uniform(2.0, elastic_ ? 3.5 : 6.0));
    damping_ = elastic_ || random_() % 3 == 0 ? 0.0 : std::pow(10.0, uniform(-1.0, 2.5));
    friction_ = elastic_ || random_() % 3 == 0 ? 0.0 : uniform(0.05, 1.5);
  }

  Findings run(const std::filesystem::path& folder) {
    Findings found;
    const solids::SolidsWorld* const world = make(folder);
    const double start = energy(*world, true);
    std::vector<char> touched(world->pairs().size(), 0);
    const auto steps = static_cast<int>((stacked_ ? 0.3 : 0.2) * rate_);
    double slack = 0.0, highest = start;
    for (int i = 0; i < steps; ++i) {
      WorldOutput output;
      if (world_->step({}, output) != WorldStatus::kOk) {
        ++found.faults;
        break;
      }
      slack = std::max(slack, rounding_of_turns(*world));
      highest = std::max(highest, energy(*world, false));
      for (std::size_t p = 0; p < touched.size(); ++p) {
        const bool touches = !world->pairs()[p].contact.contacts().empty();
        if (touches && touched[p] == 0) ++found.impacts;
        touched[p] = touches ? 1 : 0;
      }
    }
    found.trials = 1;
    found.gain = (highest - start - slack) / scale_;
    found.worst =
        fmt::format("seed {}, {} bodies, {:g} Hz, k {:.3g} N/m, c {:.3g} s/m, mu {:.2f}{}", seed_,
                    world->free_bodies().size(), rate_, stiffness_, damping_, friction_,
                    stacked_ ? ", stacked" : "");
    // Implicit contact dissipates unless the step is short compared with the period of the contact
    // springs, here ten points.
    constexpr double kMass = 5e-3;
    if (elastic_ && found.impacts > 0 && 10.0 * stiffness_ < 0.3 * kMass * rate_ * rate_) {
      found.elastic = 1;
      found.kept = energy(*world, false) / start;
    }
    return found;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vector3 direction() {
    std::normal_distribution<double> normal;
    return Vector3(normal(random_), normal(random_), normal(random_)).normalized();
  }

  static std::string vector_text(const Vector3& v) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
  }

  void add_body(const std::string& model, const Vector3& at, const Quaternion& turned,
                const Twist& velocity) {
    text_ += fmt::format(
        "[[body]]\nname = \"b{}\"\nmodel = \"{}.h5\"\nrole = \"free\"\nposition = {}\n"
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\nvelocity = {}\n"
        "angular_velocity = {}\n",
        count_++, model, vector_text(at), turned.w(), turned.x(), turned.y(), turned.z(),
        vector_text(velocity.linear), vector_text(velocity.angular));
  }

  void add_contact(const std::string& bodies) {
    text_ +=
        fmt::format("[[contact]]\n{}\nstiffness = {:.17g}\ndamping = {:.17g}\nnormals = \"{}\"\n",
                    bodies, stiffness_, damping_, of_shell_ ? "shell" : "field");
    if (friction_ > 0.0) {
      text_ += fmt::format("friction = {{ static = {:.17g}, dynamic = {:.17g} }}\n", friction_,
                           0.8 * friction_);
    }
  }

  /// Two to five bodies that fly towards a common centre, or a stack of dice.
  solids::SolidsWorld* make(const std::filesystem::path& folder) {
    const bool grounded = ground_ != Ground::kNone;
    text_ = fmt::format(
        "rate_hz = {:g}\ngravity = [0.0, {}, 0.0]\n[[body]]\nname = \"hand\"\nshape = \"sphere\"\n"
        "radius = 0.01\nrole = \"held\"\nposition = [0.0, 9.0, 0.0]\n",
        rate_, grounded ? -9.81 : 0.0);
    if (ground_ == Ground::kPad) {
      text_ += "[[body]]\nname = \"ground\"\nmodel = \"pad.h5\"\nrole = \"anchored\"\n";
    } else {
      // Without a ground the plane is out of reach.
      text_ += fmt::format(
          "[[body]]\nname = \"ground\"\nshape = \"plane\"\nsize = 1.0\nrole = \"anchored\"\n"
          "position = [0.0, {}, 0.0]\n"
          "orientation = [0.70710678118654752, -0.70710678118654752, 0.0, 0.0]\n",
          grounded ? 0.0 : -9.0);
    }
    const int bodies = 2 + static_cast<int>(random_() % 4);
    if (stacked_) {
      for (int i = 0; i < bodies; ++i) {
        add_body("die", {uniform(-2e-3, 2e-3), 0.0095 + 0.0185 * i, uniform(-2e-3, 2e-3)},
                 rotation_exponential(Vector3(0.0, uniform(-0.5, 0.5), 0.0)), {});
      }
    } else {
      std::array<int, 18> cells{};
      std::iota(cells.begin(), cells.end(), 0);
      std::shuffle(cells.begin(), cells.end(), random_);
      const Vector3 centre(0.0, 0.075, 0.0);
      const double speed = std::pow(10.0, uniform(-1.0, 0.5)), spin = uniform(0.0, 40.0);
      const char* const kModels[] = {"die", "marble", "ring", "rod"};
      for (int i = 0; i < bodies; ++i) {
        const int cell = cells[static_cast<std::size_t>(i)];
        const Vector3 at(0.05 * (cell % 3 - 1), 0.05 + 0.05 * (cell / 9),
                         0.05 * (cell / 3 % 3 - 1));
        const Vector3 way = centre - at;
        add_body(kModels[random_() % 4], at, rotation_exponential(3.0 * direction()),
                 {speed * way.normalized() + 0.1 * speed * direction(), spin * direction()});
      }
    }
    if (ground_ != Ground::kPad) {
      add_contact("among = \"free\"");
    } else {
      for (int i = 0; i < bodies; ++i) {
        add_contact(fmt::format("points = \"ground\"\nfield = \"b{}\"", i));
        for (int j = 0; j < i; ++j) {
          add_contact(fmt::format("points = \"b{}\"\nfield = \"b{}\"", i, j));
        }
      }
    }
    world_.emplace(parse_scene(text_, folder / "trial.toml"), nullptr);
    return &*world_;
  }

  /// Kinetic energy, gravity and deformation; not what the contacts store. At the start also the
  /// scale of relative gains.
  double energy(const solids::SolidsWorld& world, bool at_start) {
    double sum = 0.0;
    for (const auto& body : world.free_bodies()) sum += body->energy();
    if (at_start) scale_ = sum;
    if (const DeformableBody* const pad = world.deformable(1)) {
      const auto q = pad->q(), qdot = pad->qdot();
      sum += pad->material().system().energy->energy(q);
      for (const double v : qdot) sum += 0.5 * v * v;
    }
    return sum;
  }

  /// Bound on the error of a turning body's energy in free flight, (h w)^2 / 12 of its energy.
  double rounding_of_turns(const solids::SolidsWorld& world) const {
    double sum = 0.0;
    for (const auto& body : world.free_bodies()) {
      const double w = body->twist().angular.norm();
      sum += w * w / (rate_ * rate_) / 12.0 * 0.5 * w * body->angular_momentum().norm();
    }
    return sum;
  }

  std::mt19937_64 random_;
  std::uint64_t seed_;
  Ground ground_;
  bool of_shell_, stacked_, elastic_;
  double rate_, stiffness_, damping_, friction_, scale_ = 1.0;
  int count_ = 0;
  std::string text_;
  std::optional<solids::SolidsWorld> world_;
};

std::filesystem::path make_models(const Experiment& experiment) {
  MadeScene files(experiment.path("bodies", ""));
  const auto part = [&](const std::string& name, const char* shape,
                        const std::map<std::string, double>& with, double length, int points) {
    const auto path = files.folder() / (name + ".obj");
    if (!std::filesystem::exists(path)) write_obj(path, make_shape(shape, with));
    files.add_file(name + ".toml",
                   fmt::format("[source]\nmesh = \"{}.obj\"\nlength = {}\n[material]\ndensity = "
                               "1200.0\n[field]\nresolution = 32\n[shell]\npoints = {}\n",
                               name, length, points));
  };
  part("die", "box", {}, 0.018, 98);
  part("marble", "sphere", {}, 0.018, 80);
  part("ring", "torus", {}, 0.028, 100);
  part("rod", "box", {{"size_x", 0.1}, {"size_y", 0.025}, {"size_z", 0.04}}, 0.03, 100);
  const auto path = files.folder() / "pad.obj";
  if (!std::filesystem::exists(path)) {
    write_obj(path, make_shape("box", {{"size_x", 0.2}, {"size_y", 0.03}, {"size_z", 0.2}}));
  }
  files.add_file("pad.toml", R"([source]
mesh = "pad.obj"
length = 0.2
[mesh]
resolution = 20
cells = "full"
elements = "full"
[material]
youngs_modulus = 5e4
poisson_ratio = 0.3
density = 800.0
[constraints]
planes = [{ axis = "y", below = 0.002 }]
[reduction]
linear_modes = 8
dimension = 12
[field]
resolution = 64
[shell]
points = 400
levels = 2
)");
  files.bake({"die", "marble", "ring", "rod", "pad"});
  return files.folder();
}

/// Runs trials until `impacts` impacts have occurred.
Findings run_trials(const std::filesystem::path& folder, Ground ground, bool of_shell,
                    std::uint64_t impacts) {
  Findings all;
  std::mutex mutex;
  std::uint64_t next = 0;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (all.impacts < impacts) {
      const std::uint64_t seed = next++;
      lock.unlock();
      const Findings found = Trial(seed, ground, of_shell).run(folder);
      lock.lock();
      all.add(found);
    }
  };
  std::vector<std::jthread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::jthread& thread : threads) thread = std::jthread(work);
  threads.clear();
  return all;
}

void contact_energy(Experiment& experiment) {
  const std::filesystem::path folder = make_models(experiment);
  const std::uint64_t wanted = experiment.quick() ? 3000 : 1'000'000;
  ResultTable table({"against", "normals", "trials", "impacts", "faults", "largest gain", "of"});
  const auto explore = [&](Ground ground, bool of_shell, std::uint64_t count) {
    const Findings found = run_trials(folder, ground, of_shell, count);
    table.add({kGroundName[static_cast<std::size_t>(ground)], of_shell ? "shell" : "field",
               fmt::format("{}", found.trials), fmt::format("{}", found.impacts),
               fmt::format("{}", found.faults), fmt::format("{:.2e}", found.gain), found.worst});
    return found;
  };
  const Findings in_flight = explore(Ground::kNone, false, wanted / 4),
                 on_plane = explore(Ground::kPlane, false, wanted / 2),
                 on_pad = explore(Ground::kPad, false, wanted / 4),
                 of_shell = explore(Ground::kPlane, true, 1500);
  experiment.report("energy of free bodies above that at the start, relative", table);
  experiment.at_most("gain against each other", in_flight.gain, kRounding);
  experiment.at_most("gain against a plane", on_plane.gain, kRounding);
  experiment.at_most("gain against a soft pad", on_pad.gain, kSoft);
  experiment.at_most("faults without the pad",
                     static_cast<double>(in_flight.faults + on_plane.faults), 0.0);
  // The bound is tight, and normals of the shell violate it.
  experiment.at_least("energy kept by elastic impacts",
                      in_flight.kept / static_cast<double>(in_flight.elastic), 0.5);
  experiment.at_least("gain with the shell's normals", of_shell.gain, 0.1);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "contact_energy",
      "Free bodies that collide and are stacked: contact never adds energy",
      haptic::contact_energy);
}

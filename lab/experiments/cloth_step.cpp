// Time of a step against the number of particles: every integrator and every collision structure,
// beside the time in which the machine reads the bytes that the step has to touch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/cloth/bucket_tree.h"
#include "lab/cloth/self_collision.h"
#include "lab/cloth/spatial_hash.h"
#include "lab/cloth/sphere_volume.h"
#include "lab/experiments/cloth_method.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/step_timing.h"
#include "lab/samples/cloth_samples.h"
#include "lab/samples/moving_cloths.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/critical_step.h"
#include "rt/worlds/cloth/filtered_forces.h"
#include "rt/worlds/cloth/implicit_euler.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kIterations = 10;  // of the conjugate gradients
constexpr int kStepsFromStart = 50;      // then the cloth starts again
constexpr double kTwoPi = 6.283185307179586;

// Bytes that a step has to read or write at least once; what it may keep in registers is left out.
constexpr double kParticle = 3 * 8;        // one vector
constexpr double kSpring = 2 * 4 + 3 * 8;  // ends, rest length, stiffness, damping
constexpr double kBlock = 2 * 4 + 5 * 8;   // ends and block of a spring in an implicit matrix
constexpr double kTriangle = 3 * 4;        // corners

/// A curve of the figure, and the times by particles.
using Curves = std::map<std::string, FigureCurve>;

class StepTimes {
 public:
  explicit StepTimes(Experiment& experiment)
      : experiment_(experiment), seconds_(experiment.quick() ? 0.02 : 0.5) {}

  void measure(std::uint32_t side) {
    cloth::SampleCloth cloth =
        cloth::square_cloth(side, 0.01, cloth::cloth_materials(200.0, 0.001));
    for (const std::uint32_t corner : {0u, side - 1}) {
      cloth.system.constraints().pin(corner, cloth::at(cloth.state.x, corner));
    }
    // The bound, since the exact limit takes minutes for 10^5 particles.
    const double limit = 2.0 / cloth::frequency_bound(cloth.system);
    for (const ClothMethod method : kClothMethods) {
      if (method == ClothMethod::kFilteredForces && cloth.system.size() > most_filtered()) continue;
      // At a tenth of the limit Euler's method, which is never stable, grows by 2 % a step.
      // Implicit methods get a step for which they are made.
      measure_method(cloth, method, (is_explicit(method) ? 0.1 : 10.0) * limit);
    }
    measure_structures(side);
  }

  void report() {
    experiment_.report(
        fmt::format("Time of a step of an integrator; implicit ones with {} iterations",
                    kIterations),
        methods_, "integrators");
    experiment_.report("Time of bringing a collision structure up to date, waves", structures_,
                       "structures");
    // One of each cost; the others are within some percent of Euler or of implicit Euler.
    draw(method_curves_,
         {"floor of Euler", "Euler", "RK4", "implicit Euler", "IMEX Euler", "filtered forces",
          "neighbours", "RK4, adaptive"},
         "integrators");
    draw(structure_curves_,
         {"boxes, 4: refit", "spheres, 4: refit", "boxes, 2: refit", "spheres, 2: refit", "hash",
          "bucket tree", "self-collision"},
         "structures");
    experiment_.at_most("values of the last states that are not finite",
                        static_cast<double>(not_finite_), 0.0);
    experiment_.at_most("steps whose iterations were not 10", static_cast<double>(iterations_off_),
                        0.0);
    if (experiment_.quick()) return;
    // The dense filter is n^2; everything else is a pass over springs or triangles, or has a
    // factor of its envelope.
    for (const auto& [name, curve] : method_curves_) {
      if (name == name_of(ClothMethod::kFilteredForces) || name == "floor of Euler") continue;
      if (name == name_of(ClothMethod::kImexEuler)) continue;
      const double slope =
          std::log(curve.y.back() / curve.y.front()) / std::log(curve.x.back() / curve.x.front());
      experiment_.at_most(name + ": slope from the smallest to the largest cloth", slope, 1.2);
    }
  }

 private:
  std::size_t most_filtered() const {
    return experiment_.quick() ? 1024 : cloth::FilteredForces::kMaxParticles;
  }

  void measure_method(const cloth::SampleCloth& of, ClothMethod method, double dt) {
    cloth::SampleCloth cloth = of;
    const auto integrator = make_integrator(method, cloth.system, dt,
                                            {.most_iterations = kIterations, .tolerance = 1e-12});
    cloth::disturb(cloth.state.v, 0.01, 7);
    const cloth::ClothState start = cloth.state;
    bool ok = true;
    const auto step = [&] {
      ok = integrator->step(cloth.state) == cloth::ClothStepResult::kOk && ok;
    };
    const Timing timing = timed(seconds_, step, [&](int call) {
      if (call % kStepsFromStart != 0) return;
      cloth.state = start;
      integrator->restart();
      step();
    });
    if (!ok) throw OperationError(fmt::format("{}: a step failed", name_of(method)));
    count_iterations(method, *integrator);
    not_finite_ += cloth::all_finite(cloth.state.x) ? 0 : 1;
    const double n = double(cloth.system.size());
    const double bytes = bytes_of(method, n, double(cloth.system.springs().springs().size()));
    add(methods_, method_curves_, name_of(method), n, timing, bytes,
        method == ClothMethod::kEuler ? "floor of Euler" : "");
  }

  void count_iterations(ClothMethod method, const cloth::ClothIntegrator& integrator) {
    if (method != ClothMethod::kImplicitEuler) return;
    const auto& implicit = dynamic_cast<const cloth::ImplicitEuler&>(integrator);
    iterations_off_ += implicit.solution().iterations == kIterations ? 0 : 1;
  }

  /// x and v are read and written, masses read, the forces written and read.
  static double bytes_of(ClothMethod method, double n, double springs) {
    double bytes = n * (4.0 * kParticle + 8.0) +
                   evaluations(method) * (springs * kSpring + 2.0 * n * kParticle);
    if (method == ClothMethod::kImplicitEuler || method == ClothMethod::kAdaptiveImex ||
        method == ClothMethod::kBackwardDifference2) {
      // The matrix is written once, and read by each product; an iteration moves four vectors.
      bytes += springs * kBlock + double(kIterations) * (springs * kBlock + 4.0 * n * kParticle);
    } else if (method == ClothMethod::kFilteredForces) {
      bytes += n * n * 8.0;
    } else if (method == ClothMethod::kImexEuler) {
      // Both passes of the solution read the envelope, whose rows are two sides of the grid wide.
      bytes += 2.0 * n * 2.0 * std::sqrt(n) * 8.0;
    } else if (method == ClothMethod::kNeighbourStep) {
      bytes += 2.0 * springs * kSpring;
    }
    return bytes;
  }

  void measure_structures(std::uint32_t side) {
    const ClothMesh mesh = make_grid({side, side}, 1.0, 1.0);
    constexpr int kPhases = 16;
    std::vector<cloth::ParticleVectors> x;
    for (int k = 0; k < kPhases; ++k) x.push_back(cloth::waving(mesh, 0.05, kTwoPi * k / kPhases));
    const double n = double(mesh.vertices.size()), triangles = double(mesh.triangles.size());
    const double corners = n * kParticle + triangles * kTriangle;
    std::size_t at = 0;
    bool ok = true;
    const auto next = [&]() -> const cloth::ParticleVectors& { return x[++at % kPhases]; };
    const auto row = [&](const char* name, double bytes, const auto& update) {
      const Timing timing =
          timed(seconds_, [&] { ok = update() == cloth::UpdateResult::kDone && ok; });
      if (!ok) throw OperationError(fmt::format("{}: a position is not finite", name));
      add(structures_, structure_curves_, name, n, timing, bytes, "");
    };
    const auto tree_bytes = [&](double nodes, double volume) {
      // Volumes are written, and those of children read.
      return corners + nodes * (2.0 * volume + 2.0 * 4.0);
    };
    for (const std::uint32_t branching : {2u, 4u}) {
      cloth::BoxHierarchy boxes(mesh.triangles, x[0], {.branching = branching});
      row(branching == 2 ? "boxes, 2: refit" : "boxes, 4: refit",
          tree_bytes(boxes.topology().size(), sizeof(cloth::BoxVolume)),
          [&] { return boxes.refit(next()); });
      lab::SphereHierarchy spheres(mesh.triangles, x[0], {.branching = branching});
      row(branching == 2 ? "spheres, 2: refit" : "spheres, 4: refit",
          tree_bytes(spheres.topology().size(), sizeof(lab::SphereVolume)),
          [&] { return spheres.refit(next()); });
    }
    lab::SpatialHash hash(mesh.triangles, x[0]);
    row("hash", corners + triangles * sizeof(cloth::BoxVolume) + 8.0 * double(hash.entry_count()),
        [&] { return hash.update(next()); });
    // About a triangle a bucket of the surface: 4^levels cells of a flat octree.
    const auto levels =
        static_cast<std::uint32_t>(std::clamp(std::lround(0.5 * std::log2(triangles)), 1l, 6l));
    lab::BucketTree buckets(mesh.triangles, x[0], levels);
    row("bucket tree",
        corners + 2.0 * triangles * sizeof(cloth::BoxVolume) +
            8.0 / 7.0 * double(buckets.bucket_count()) * sizeof(cloth::BoxVolume),
        [&] { return buckets.update(next()); });
    measure_self_collision(mesh, x[0], n);
  }

  /// Cones, borders and pairs of a step, without the refit.
  void measure_self_collision(const ClothMesh& mesh, const cloth::ParticleVectors& x, double n) {
    const cloth::BoxHierarchy tree(mesh.triangles, x, {});
    lab::SelfCollision self(tree.topology());
    cloth::TrianglePairList found(16 * mesh.triangles.size());
    bool ok = true;
    const Timing timing = timed(seconds_, [&] {
      ok = self.update(x) == cloth::UpdateResult::kDone && ok;
      found.clear();
      (void)self.find(tree, found);
    });
    if (!ok || found.overflowed()) throw OperationError("self-collision: too many pairs");
    // Positions, corners, and a cone (axis and angle) a node.
    add(structures_, structure_curves_, "self-collision", n, timing,
        n * kParticle + double(mesh.triangles.size()) * kTriangle +
            double(tree.topology().size()) * 2.0 * 4.0 * 8.0,
        "");
  }

  void add(ResultTable& table, Curves& curves, const std::string& name, double n,
           const Timing& timing, double bytes, const std::string& floor_curve) {
    const double floor = reading_us(bytes, experiment_.quick() ? 5 : 50);
    table.add({name, fmt::format("{:.0f}", n), fmt::format("{:.3g}", timing.median),
               fmt::format("{:.3g}", timing.p99), fmt::format("{:.3g}", bytes / 1e3),
               fmt::format("{:.3g}", floor), fmt::format("{:.1f}", timing.median / floor),
               fmt::format("{:.1f}", 1e3 * timing.median / n)});
    const auto extend = [&](const std::string& title, double us) {
      FigureCurve& curve = curves[title];
      curve.title = title;
      curve.points = true;
      curve.x.push_back(n);
      curve.y.push_back(us);
    };
    extend(name, timing.median);
    if (!floor_curve.empty()) {
      extend(floor_curve, floor);
      curves[floor_curve].dashed = true;
    }
  }

  void draw(const Curves& curves, const std::vector<std::string>& names,
            const std::string& suffix) const {
    Figure figure{.x_label = "particles", .y_label = "median of a step [us]", .curves = {}};
    figure.logarithmic_x = figure.logarithmic_y = true;
    figure.height = 600;
    for (const std::string& name : names) figure.curves.push_back(curves.at(name));
    draw_figure(figure, experiment_.path(suffix, ".png"));
  }

  Experiment& experiment_;
  double seconds_;  // of calls for one figure
  ResultTable methods_{{"integrator", "particles", "us, p50", "p99", "kB", "floor us",
                        "p50 / floor", "ns a particle"}};
  ResultTable structures_{{"structure", "particles", "us, p50", "p99", "kB", "floor us",
                           "p50 / floor", "ns a particle"}};
  Curves method_curves_, structure_curves_;
  std::size_t not_finite_ = 0, iterations_off_ = 0;
};

void cloth_step(Experiment& experiment) {
  StepTimes times(experiment);
  const std::vector<std::uint32_t> sides = experiment.quick()
                                               ? std::vector<std::uint32_t>{10, 32}
                                               : std::vector<std::uint32_t>{10, 32, 64, 100, 316};
  for (const std::uint32_t side : sides) times.measure(side);
  times.report();
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "cloth_step",
                                "Time of a step of a cloth against the number of particles, for "
                                "every integrator and collision structure",
                                haptic::cloth_step);
}

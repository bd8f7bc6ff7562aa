// 512 soft baskets fall on the ground and on each other: one free-flying reduced model of r = 40
// shared by all, separate rigid motions, penalty forces between bounding spheres (Barbic 2007,
// figure 2.16; docs/methods/reduced-dynamics.md, "Many free bodies", acceptance test 38).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "host/reduction/mass_pca.h"
#include "host/view/scene_renderer.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/subspace.h"
#include "lab/experiments/voxel_body.h"
#include "lab/multibody/body_swarm.h"
#include "lab/multibody/deformation_basis.h"

namespace haptic {
namespace {

const Vector3 kGravity(0.0, -9.81, 0.0);

/// Sizes of a run.
struct Size {
  int modes, dimension;  // k, r
  std::uint32_t voxels;  // along the basket
  int side, layers;      // side x side x layers bodies
  int steps;
  double dt;                  // s
  std::vector<int> pictures;  // after these steps
};

/// Basket, its deformation and its spheres, all about the centre of mass.
struct Basket {
  explicit Basket(const Size& size)
      : body(make_shape_surface(), size.voxels, true, {3e6, 0.3, 1000.0}, {}),
        rigid(rigid_properties(body.model())),
        U(deformation_basis(body.model(), size.modes, size.dimension)),
        energy(reduced_energy(body.model(), U)),
        motion(body.at_surface(U)),
        surface(translated(body.surface(), -rigid.centre)),
        tree(points(), motion, 0.02) {}

  static TriangleMesh make_shape_surface() {
    return VoxelBodySource{
        "basket", {{"bar", 0.006}, {"ribs", 12.0}, {"hoops", 3.0}, {"resolution", 64.0}}, {}, 0.0}
        .surface();
  }
  Eigen::Matrix3Xd points() const {
    Eigen::Matrix3Xd x(3, static_cast<Eigen::Index>(surface.vertices.size()));
    for (Eigen::Index v = 0; v < x.cols(); ++v)
      x.col(v) = surface.vertices[static_cast<std::size_t>(v)];
    return x;
  }

  VoxelBody body;
  RigidProperties rigid;
  Eigen::MatrixXd U;  // 3n x r
  ReducedEnergy energy;
  Eigen::MatrixXd motion;  // 3v x r, of the surface
  TriangleMesh surface;    // about the centre of mass
  SphereTree tree;
};

/// Side by side in layers, close together, at rest, in random orientations.
std::vector<RigidState> starts(const Size& size) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<RigidState> states;
  const double pitch = 0.22;  // m; a basket in any orientation fits in
  for (int layer = 0; layer < size.layers; ++layer) {
    for (int i = 0; i < size.side; ++i) {
      for (int j = 0; j < size.side; ++j) {
        RigidState& state = states.emplace_back();
        const double half = 0.5 * (size.side - 1);
        state.centre = pitch * Vector3(i - half, 1.2 + layer, j - half);
        // Layers are shifted, so that baskets fall into gaps.
        state.centre += 0.01 * Vector3(uniform(random), 0.0, uniform(random));
        state.orientation =
            rotation_exponential(Vector3(uniform(random), uniform(random), uniform(random)) * 2.0);
      }
    }
  }
  return states;
}

/// Checks of acceptance test 38 that need all bodies.
class Ledger {
 public:
  Ledger(const Basket& basket, const BodySwarm& swarm)
      : basket_(basket),
        swarm_(swarm),
        MU_(multiply_mass(basket.body.model().scalar_mass(), basket.U)) {}

  /// Momentum of all mesh vertices, deformation included, against the impulses, relative to
  /// gravity's.
  double momentum_error() const {
    Vector3 sum = -swarm_.gravity_impulse() - swarm_.ground_impulse();
    for (int b = 0; b < swarm_.size(); ++b) {
      const Eigen::VectorXd p = MU_ * vector_of(swarm_.reduced(b).qdot);
      const Eigen::Map<const Eigen::Matrix3Xd> by_vertex(p.data(), 3, p.size() / 3);
      sum += swarm_.rigid(b).momentum +
             swarm_.rigid(b).orientation * Vector3(by_vertex.rowwise().sum());
    }
    return sum.norm() / swarm_.gravity_impulse().norm();
  }
  /// Height of the lowest surface vertex [m]; infinite where a state is not finite.
  double lowest() const {
    double lowest = 1e9;
    for (int b = 0; b < swarm_.size(); ++b) {
      const Eigen::VectorXd u = basket_.motion * vector_of(swarm_.reduced(b).q);
      const RigidState& rigid = swarm_.rigid(b);
      const Vector3 up = rigid.orientation.conjugate() * Vector3::UnitY();
      for (std::size_t v = 0; v < basket_.surface.vertices.size(); ++v) {
        lowest = std::min(
            lowest, rigid.centre.y() + up.dot(basket_.surface.vertices[v] +
                                              u.segment<3>(3 * static_cast<Eigen::Index>(v))));
      }
    }
    return lowest;
  }
  bool is_finite() const {
    for (int b = 0; b < swarm_.size(); ++b) {
      if (!haptic::is_finite(Pose{swarm_.rigid(b).centre, swarm_.rigid(b).orientation}) ||
          !vector_of(swarm_.reduced(b).q).allFinite()) {
        return false;
      }
    }
    return true;
  }
  /// Largest displacement of a surface vertex by deformation [m].
  double largest_deformation() const {
    double largest = 0.0;
    for (int b = 0; b < swarm_.size(); ++b) {
      const Eigen::VectorXd u = basket_.motion * vector_of(swarm_.reduced(b).q);
      const Eigen::Map<const Eigen::Matrix3Xd> by_vertex(u.data(), 3, u.size() / 3);
      largest = std::max(largest, by_vertex.colwise().norm().maxCoeff());
    }
    return largest;
  }

 private:
  const Basket& basket_;
  const BodySwarm& swarm_;
  Eigen::MatrixXd MU_;
};

/// Images of the fall; every model file is written once.
class Camera512 {
 public:
  Camera512(const Experiment& experiment, const Basket& basket, double half_width)
      : experiment_(experiment),
        basket_model_(experiment.path("basket", ".h5")),
        ground_model_(experiment.path("ground", ".h5")),
        renderer_({.width = 640, .height = 480, .azimuth = 0.55, .elevation = 0.30}) {
    write_display_model(basket_model_, basket.surface, basket.motion);
    const double w = half_width, t = 0.01;
    TriangleMesh slab;
    for (int c = 0; c < 8; ++c) {
      slab.vertices.emplace_back(c & 1 ? w : -w, c & 2 ? 0.0 : -t, c & 4 ? w : -w);
    }
    slab.triangles = {{2, 6, 7}, {2, 7, 3}, {0, 1, 5}, {0, 5, 4}, {0, 2, 3}, {0, 3, 1},
                      {4, 5, 7}, {4, 7, 6}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    write_display_model(ground_model_, slab, {});
  }

  void take(const BodySwarm& swarm, double time) {
    SceneFrame frame;
    for (int b = 0; b < swarm.size(); ++b) {
      const auto q = swarm.reduced(b).q;
      frame.bodies.push_back({fmt::format("basket {}", b),
                              basket_model_,
                              {swarm.rigid(b).centre, swarm.rigid(b).orientation},
                              {q.begin(), q.end()}});
    }
    // The sixth colour of an image is grey, that of the ground.
    frame.bodies.insert(frame.bodies.begin() + std::min<std::ptrdiff_t>(5, swarm.size()),
                        {"ground", ground_model_, {}, {}});
    write_png(renderer_.draw(frame),
              experiment_.path(fmt::format("{:04.0f}ms", 1e3 * time), ".png"));
  }

 private:
  const Experiment& experiment_;
  std::filesystem::path basket_model_, ground_model_;
  SceneRenderer renderer_;
};

void fall(Experiment& experiment) {
  const Size size = experiment.quick() ? Size{6, 12, 20, 3, 1, 500, 1e-3, {500}}
                                       : Size{20, 40, 28, 8, 8, 1600, 1e-3, {200, 500, 900, 1600}};
  const Basket basket(size);
  const PenaltyLaw law{1000.0, 1.0, 0.4, 0.05};
  BodySwarm swarm({basket.rigid, &basket.energy, {1.0, 3e-4}, &basket.tree}, starts(size), size.dt,
                  kGravity, law);
  const Ledger ledger(basket, swarm);
  Camera512 camera(experiment, basket, 0.5 * 0.22 * size.side + 0.35);

  ResultTable table({"time ms", "body pairs", "sphere contacts", "ground contacts", "deepest mm",
                     "deformation mm", "contact ms", "Newmark ms"});
  double momentum = 0.0, deepest = 0.0, lowest = 1.0, newmark = 0.0, contact = 0.0;
  double span_newmark = 0.0, span_contact = 0.0;
  int refused = 0, span = 0;
  bool finite = true;
  std::vector<double> newmark_steps;
  for (int step = 1; step <= size.steps; ++step) {
    const SwarmReport report = swarm.step();
    refused += report.refused_steps;
    deepest = std::max(deepest, report.deepest_ground);
    newmark += report.newmark_seconds;
    contact += report.contact_seconds;
    newmark_steps.push_back(report.newmark_seconds);
    span_newmark += report.newmark_seconds;
    span_contact += report.contact_seconds;
    ++span;
    if (step % 10 == 0) {
      momentum = std::max(momentum, ledger.momentum_error());
      finite = finite && ledger.is_finite();
    }
    if (step % 100 == 0) {
      lowest = std::min(lowest, ledger.lowest());
      table.add({fmt::format("{:.0f}", 1e3 * step * size.dt), fmt::format("{}", report.body_pairs),
                 fmt::format("{}", report.pair_contacts), fmt::format("{}", report.ground_contacts),
                 fmt::format("{:.2f}", 1e3 * std::max(report.deepest_ground, report.deepest_pair)),
                 fmt::format("{:.1f}", 1e3 * ledger.largest_deformation()),
                 fmt::format("{:.2f}", 1e3 * span_contact / span),
                 fmt::format("{:.2f}", 1e3 * span_newmark / span)});
      span_newmark = span_contact = 0.0;
      span = 0;
    }
    if (std::find(size.pictures.begin(), size.pictures.end(), step) != size.pictures.end()) {
      camera.take(swarm, step * size.dt);
    }
  }
  std::nth_element(newmark_steps.begin(), newmark_steps.begin() + size.steps / 2,
                   newmark_steps.end());
  experiment.report(
      fmt::format(
          "{} baskets of {:.0f} g, {} elements, r = {}, {} spheres each ({} leaves); "
          "all Newmark steps of one time step: median {:.2f} ms, mean {:.2f} ms (published: "
          "1200 ms); contact: mean {:.2f} ms",
          swarm.size(), 1e3 * basket.rigid.mass, basket.body.model().mesh().element_count(),
          size.dimension, basket.tree.node_count(), basket.tree.leaf_count(),
          1e3 * newmark_steps[static_cast<std::size_t>(size.steps / 2)], 1e3 * newmark / size.steps,
          1e3 * contact / size.steps),
      table);

  // One leaf sphere that stops a basket from the height of the highest: m v^2/2 + m g d = k d^2/2.
  const double m = basket.rigid.mass, g = 9.81, weight = m * g;
  const double height = 0.22 * (1.2 + size.layers);
  const double depth =
      (weight + std::sqrt(weight * weight + 2.0 * law.stiffness * weight * height)) / law.stiffness;
  experiment.at_most("T38 momentum against impulses, relative", momentum, 1e-8);
  experiment.at_most("T38 states not finite", finite ? 0.0 : 1.0, 0.0);
  experiment.at_most("T38 reduced steps refused", refused, 0.0);
  experiment.at_most("T38 deepest ground contact [m]", deepest, depth);
  experiment.at_least("T38 lowest surface vertex [m]", lowest, -depth);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "falling_baskets",
                                "512 falling soft baskets, r = 40 (T38)", haptic::fall);
}

#pragma once

#include <Eigen/LU>
#include <span>
#include <vector>

#include "tests/rt/worlds/free_points.h"
#include "tests/rt/worlds/solids/jointed_bodies_fixture.h"

namespace haptic::solids {

/// Worlds with bodies of points that deform: "points.h5" and "other.h5".
class SoftBodies : public JointedBodies {
 protected:
  static constexpr int kModes = 5;

  static void SetUpTestSuite() {
    JointedBodies::SetUpTestSuite();
    points().write(folder_ / "points.h5");
    other().write(folder_ / "other.h5");
  }
  static FreePoints points() { return FreePoints(9, kModes, 4); }
  static FreePoints other() { return FreePoints(12, 3, 9); }

  static Eigen::VectorXd values(std::span<const double> q) {
    return Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  }
  /// Of bodies that deform.
  struct Sums {
    Vector3 momentum = Vector3::Zero(), angular = Vector3::Zero();
    double energy = 0.0;
  };
  /// By the momenta of the bodies; the energy from positions and velocities, with springs.
  static Sums sums(const SolidsWorld& world, const std::vector<FreePoints>& bodies) {
    Sums all;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const FreeBody& body = *world.free_bodies()[i];
      const DeformableBody& shape = *world.deformable(2 + i);
      const Eigen::VectorXd q = values(shape.q()), qdot = values(shape.qdot());
      all.momentum += body.momentum();
      all.angular += body.angular_momentum() + body.centre().cross(body.momentum());
      const Matrix3 J = bodies[i].inertia(q);
      const Vector3 spin = bodies[i].spin(q, qdot);
      const Vector3 w =
          J.inverse() * (body.pose().orientation.conjugate() * body.angular_momentum() - spin);
      all.energy += 0.5 * body.momentum().squaredNorm() / body.mass().mass +
                    w.dot(0.5 * (J * w) + spin) + 0.5 * qdot.squaredNorm();
      for (std::size_t j = 0; j < bodies[i].eigenvalues.size(); ++j) {
        all.energy += 0.5 * bodies[i].eigenvalues[j] * q[static_cast<Eigen::Index>(j)] *
                      q[static_cast<Eigen::Index>(j)];
      }
    }
    return all;
  }
  /// Point i of a body, world.
  static Vector3 place(const SolidsWorld& world, std::size_t body, const FreePoints& of, int i) {
    return world.poses()[body].to_world(of.centre +
                                        of.position(i, values(world.deformable(body)->q())));
  }
  /// Where the model's origin is for point i of the rest shape to be at a place.
  static Vector3 origin_for(const FreePoints& of, int i, const Vector3& at) {
    return at - of.centre - of.places.col(i);
  }
};

}  // namespace haptic::solids

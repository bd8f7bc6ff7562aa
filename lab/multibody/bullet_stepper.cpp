#include "lab/multibody/bullet_stepper.h"

#include <btBulletDynamicsCommon.h>

#include <chrono>
#include <cmath>

#include "rt/bodies/body_model.h"

namespace haptic {
namespace {

constexpr double kUnits = 10.0;   // Bullet's lengths in a metre
constexpr double kMargin = 1e-4;  // of the parts' hulls [m]
constexpr double kMax = 1e3;      // coordinate of a body that has not been ejected [m]

btVector3 to_bullet(const Vector3& v) {
  return {kUnits * v.x(), kUnits * v.y(), kUnits * v.z()};
}
Vector3 from_bullet(const btVector3& v) {
  return Vector3(v.x(), v.y(), v.z()) / kUnits;
}

btTransform to_bullet(const Pose& pose) {
  const Quaternion& q = pose.orientation;
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), to_bullet(pose.position));
}

btTransform shift(const Vector3& by) {
  return to_bullet(Pose{by, Quaternion::Identity()});
}

}  // namespace

struct BulletStepper::World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btConvexHullShape>> hulls;
  std::vector<std::unique_ptr<btCompoundShape>> compounds;
  btStaticPlaneShape ground{btVector3(0.0, 1.0, 0.0), 0.0};
  std::vector<std::unique_ptr<btRigidBody>> bodies;  // the ground, then the free bodies
  std::vector<std::size_t> index;                    // in the scene
  std::vector<Vector3> centre;                       // of mass, model frame
  double gravity = 0.0;

  ~World() {
    for (auto& body : bodies) dynamics.removeRigidBody(body.get());
  }
  void add(double mass, btCollisionShape& shape, const btVector3& inertia, const btTransform& start,
           double friction) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
    info.m_startWorldTransform = start;
    // The coefficient of a contact is the product of both.
    info.m_friction = std::sqrt(friction);
    info.m_restitution = 0.0;
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    dynamics.addRigidBody(bodies.back().get());
  }
};

BulletStepper::BulletStepper(const Scene& scene, std::span<const ConvexPart> parts, double friction)
    : world_(std::make_unique<World>()), dt_(1.0 / scene.rate_hz) {
  for (const ConvexPart& part : parts) {
    auto& hull = world_->hulls.emplace_back(std::make_unique<btConvexHullShape>());
    for (const Vector3& corner : part) hull->addPoint(to_bullet(corner), false);
    hull->recalcLocalAabb();
    hull->setMargin(kUnits * kMargin);
  }
  world_->dynamics.setGravity(to_bullet(scene.gravity));
  world_->gravity = -scene.gravity.y();
  world_->add(0.0, world_->ground, {0.0, 0.0, 0.0}, btTransform::getIdentity(), friction);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    poses_.push_back(body.pose);
    if (body.role != BodyRole::kFree) continue;
    const BodyModel model(body.model);
    const RigidMass mass = read_rigid_mass(*model.file);
    auto& compound = world_->compounds.emplace_back(std::make_unique<btCompoundShape>());
    for (const auto& hull : world_->hulls) compound->addChildShape(shift(-mass.centre), hull.get());
    const Vector3 inertia = kUnits * kUnits * mass.inertia.diagonal();
    const Pose start{body.pose.to_world(mass.centre), body.pose.orientation};
    world_->add(mass.mass, *compound, {inertia.x(), inertia.y(), inertia.z()}, to_bullet(start),
                friction);
    world_->index.push_back(i);
    world_->centre.push_back(mass.centre);
  }
}

BulletStepper::~BulletStepper() = default;

bool BulletStepper::step() {
  const auto start = std::chrono::steady_clock::now();
  world_->dynamics.stepSimulation(dt_, 0);
  report_ = {};
  report_.solve_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (int i = 0; i < world_->dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold* const manifold = world_->dispatcher.getManifoldByIndexInternal(i);
    report_.contacts += static_cast<std::uint32_t>(manifold->getNumContacts());
  }
  for (std::size_t b = 0; b < world_->index.size(); ++b) {
    const btTransform& at = world_->bodies[b + 1]->getWorldTransform();
    const btQuaternion q = at.getRotation();
    Pose& pose = poses_[world_->index[b]];
    pose.orientation = Quaternion(q.w(), q.x(), q.y(), q.z());
    pose.position = from_bullet(at.getOrigin()) - pose.orientation * world_->centre[b];
    if (!(pose.position.cwiseAbs().maxCoeff() < kMax)) return false;
  }
  return true;
}

double BulletStepper::energy() const {
  double sum = 0.0;
  for (std::size_t b = 1; b < world_->bodies.size(); ++b) {
    const btRigidBody& body = *world_->bodies[b];
    const double mass = 1.0 / body.getInvMass();
    const btVector3 v = body.getLinearVelocity(), w = body.getAngularVelocity();
    const btVector3 in_body = body.getWorldTransform().getBasis().transpose() * w;
    const btVector3 inertia = body.getLocalInertia();
    double turning = 0.0;
    for (int i = 0; i < 3; ++i) turning += inertia[i] * in_body[i] * in_body[i];
    sum += 0.5 * (mass * v.length2() + turning) / (kUnits * kUnits) +
           mass * world_->gravity * from_bullet(body.getWorldTransform().getOrigin()).y();
  }
  return sum;
}

}  // namespace haptic

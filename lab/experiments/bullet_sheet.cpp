#include "lab/experiments/bullet_sheet.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

namespace haptic {

struct BulletSheet::World {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
  std::unique_ptr<btSoftBody> cloth;

  ~World() {
    if (cloth) dynamics.removeSoftBody(cloth.get());
  }
};

BulletSheet::BulletSheet(const cloth::ClothSystem& system, std::span<const double> x,
                         int iterations)
    : world_(std::make_unique<World>()) {
  const Vector3& g = system.surroundings().gravity;
  world_->dynamics.setGravity({g.x(), g.y(), g.z()});
  btSoftBodyWorldInfo& info = world_->dynamics.getWorldInfo();
  info.m_gravity = {g.x(), g.y(), g.z()};
  info.m_broadphase = &world_->broadphase;
  info.m_dispatcher = &world_->dispatcher;
  info.m_sparsesdf.Initialize();
  std::vector<btVector3> nodes;
  for (std::size_t i = 0; i < system.size(); ++i) {
    const Vector3 p = cloth::at(x, i);
    nodes.push_back({p.x(), p.y(), p.z()});
  }
  world_->cloth = std::make_unique<btSoftBody>(&info, static_cast<int>(nodes.size()), nodes.data(),
                                               system.masses().data());
  btSoftBody& cloth = *world_->cloth;
  btSoftBody::Material& stiff = *cloth.m_materials[0];
  stiff.m_kLST = 1.0;
  btSoftBody::Material& soft = *cloth.appendMaterial();
  soft.m_kLST = 0.05;
  const Springs& springs = system.springs().springs();
  for (std::size_t k = 0; k < springs.size(); ++k) {
    cloth.appendLink(static_cast<int>(springs.first[k]), static_cast<int>(springs.second[k]),
                     springs.kind[k] == SpringKind::kBend ? &soft : &stiff);
  }
  for (std::size_t i = 0; i < system.size(); ++i) {
    if (system.constraints().inverse_masses()[i] == 0.0) cloth.setMass(static_cast<int>(i), 0.0);
  }
  // As Bullet's own examples do: links in the order of the grid would pull to one side.
  cloth.randomizeConstraints();
  cloth.m_cfg.piterations = iterations;
  cloth.m_cfg.collisions = 0;
  cloth.setActivationState(DISABLE_DEACTIVATION);
  world_->dynamics.addSoftBody(&cloth);
}

BulletSheet::~BulletSheet() = default;

void BulletSheet::step(double dt) {
  world_->dynamics.stepSimulation(dt, 0);
}

void BulletSheet::positions(std::span<double> x) const {
  const btSoftBody& cloth = *world_->cloth;
  for (int i = 0; i < cloth.m_nodes.size(); ++i) {
    const btVector3& p = cloth.m_nodes[i].m_x;
    cloth::at(x, static_cast<std::size_t>(i)) = Vector3(p.x(), p.y(), p.z());
  }
}

}  // namespace haptic

#include "lab/multibody/body_stepper.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "shared/error.h"

namespace haptic {
double BodyStepper::seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool ImplicitStepper::step() {
  WorldOutput output;
  if (world_.step({}, output) != WorldStatus::kOk) return false;
  report_ = {1e-9 * static_cast<double>(output.times.touch_ns),
             1e-9 * static_cast<double>(output.times.move_ns), 0};
  for (const solids::ContactSet::Pair& pair : world_.pairs()) {
    report_.contacts += static_cast<std::uint32_t>(pair.contact.contacts().size());
  }
  return true;
}

double ImplicitStepper::energy() const {
  double sum = 0.0;
  for (const auto& body : world_.free_bodies()) sum += body->energy();
  return sum;
}

ExplicitStepper::ExplicitStepper(const Scene& scene) : world_(scene, nullptr) {
  for (solids::ContactSet::Pair& pair : world_.contacts().pairs())
    pair.contact.set_end_of_step(false);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    poses_.push_back(body.pose);
    motions_.push_back({.pose = body.pose});
    free_.emplace_back();
    if (body.role != BodyRole::kFree) continue;
    if (world_.model(i).dimension() > 0) {
      throw InputError(scene.file.string(), body.name, "found a free body that deforms",
                       "rigid free bodies");
    }
    free_.back() = std::make_unique<FreeBody>(read_rigid_mass(*world_.model(i).file), body.pose,
                                              body.velocity, scene.gravity, 1.0 / scene.rate_hz);
  }
  wrenches_.resize(free_.size());
}

void ExplicitStepper::add_force(std::size_t body, const Vector3& at, const Vector3& force) {
  if (!free_[body]) return;
  wrenches_[body].force += force;
  wrenches_[body].torque += (at - free_[body]->centre()).cross(force);
}

bool ExplicitStepper::step() {
  auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i]) motions_[i] = {.pose = free_[i]->pose(), .twist = free_[i]->twist()};
  }
  world_.contacts().touch(motions_);
  report_ = {seconds_since(start), 0.0, 0};

  start = std::chrono::steady_clock::now();
  for (Wrench& wrench : wrenches_) wrench = {};
  for (const solids::ContactSet::Pair& pair : world_.pairs()) {
    const std::span<const Contact> contacts = pair.contact.contacts();
    report_.contacts += static_cast<std::uint32_t>(contacts.size());
    // The force of a contact is that on the body of the field.
    for (const Contact& contact : contacts) {
      add_force(pair.field, contact.position, contact.force);
      add_force(pair.points, contact.position, -contact.force);
    }
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (!free_[i]) continue;
    FreeBody::StepSystem system = free_[i]->prepare();
    system.load.head<3>() += wrenches_[i].force;
    system.load.tail<3>() += wrenches_[i].torque;
    if (!free_[i]->complete(system.matrix.llt().solve(system.load))) return false;
    poses_[i] = free_[i]->pose();
  }
  report_.solve_seconds = seconds_since(start);
  return true;
}

double ExplicitStepper::energy() const {
  double sum = 0.0;
  for (const auto& body : free_) sum += body ? body->energy() : 0.0;
  return sum;
}

}  // namespace haptic

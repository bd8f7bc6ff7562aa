#include "lab/multibody/body_swarm.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>

#include "rt/dynamics/vector_views.h"

namespace haptic {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Body {
  explicit Body(NewmarkIntegrator newmark) : integrator(std::move(newmark)) {}

  RigidState rigid;
  NewmarkIntegrator integrator;
  Eigen::Matrix3Xd centres;  // of all spheres, world
  Eigen::VectorXd radii;
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  Eigen::VectorXd reduced_force;
};

struct Contact {
  int leaf_a, leaf_b;
  Vector3 point, force;  // world; on body a
  double depth;
};

struct BodyPair {
  int a, b;
  std::vector<Contact> contacts;
};

}  // namespace

struct BodySwarm::State {
  SwarmModel model;
  double dt;
  Vector3 gravity;
  PenaltyLaw law;
  std::vector<Body> bodies;
  std::vector<BodyPair> pairs;
  std::vector<std::vector<std::size_t>> pairs_of;  // by body, ascending
  std::vector<Vector3> ground_force, pair_force;   // by body, of this step
  Vector3 gravity_impulse = Vector3::Zero(), ground_impulse = Vector3::Zero(),
          pair_impulse = Vector3::Zero();

  // The shape predicted for the end of the step without contact forces. Forces evaluated at the
  // start of the step would lag by dt and act on a spring k like a damper of -k dt.
  void place_spheres(Body& body) const {
    const ReducedState state = body.integrator.state();
    model.tree->spheres(vector_of(state.q) + dt * vector_of(state.qdot), body.centres, body.radii);
    body.centres =
        (body.rigid.orientation.toRotationMatrix() * body.centres).colwise() + body.rigid.centre;
    // Nodes bound their points and so the centres of their leaves, but not the spheres of the
    // leaves.
    body.radii.array() += model.tree->largest_leaf();
  }

  Vector3 velocity(const Body& body, int node, const Vector3& point) const {
    const Vector3 in_body =
        model.tree->centre_motion(node) * vector_of(body.integrator.state().qdot);
    return body.rigid.momentum / model.rigid.mass +
           angular_velocity(model.rigid, body.rigid).cross(point - body.rigid.centre) +
           body.rigid.orientation * in_body;
  }

  static bool overlap(const Body& a, int i, const Body& b, int j) {
    const double reach = a.radii[i] + b.radii[j];
    return (a.centres.col(i) - b.centres.col(j)).squaredNorm() < reach * reach;
  }

  void find_pairs() {
    std::vector<int> order(bodies.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto body = [&](int i) -> const Body& { return bodies[static_cast<std::size_t>(i)]; };
    const auto lower = [&](int i) { return body(i).centres(0, 0) - body(i).radii[0]; };
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return std::pair(lower(a), a) < std::pair(lower(b), b); });
    std::vector<std::pair<int, int>> found;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double end = body(order[i]).centres(0, 0) + body(order[i]).radii[0];
      for (std::size_t j = i + 1; j < order.size() && lower(order[j]) < end; ++j) {
        if (overlap(body(order[i]), 0, body(order[j]), 0)) {
          found.emplace_back(std::min(order[i], order[j]), std::max(order[i], order[j]));
        }
      }
    }
    std::sort(found.begin(), found.end());
    pairs.resize(found.size());
    for (auto& list : pairs_of) list.clear();
    for (std::size_t p = 0; p < found.size(); ++p) {
      pairs[p].a = found[p].first;
      pairs[p].b = found[p].second;
      pairs_of[static_cast<std::size_t>(pairs[p].a)].push_back(p);
      pairs_of[static_cast<std::size_t>(pairs[p].b)].push_back(p);
    }
  }

  void collide(BodyPair& pair) const {
    const Body& a = bodies[static_cast<std::size_t>(pair.a)];
    const Body& b = bodies[static_cast<std::size_t>(pair.b)];
    pair.contacts.clear();
    std::vector<std::pair<int, int>> stack = {{0, 0}};
    while (!stack.empty()) {
      const auto [i, j] = stack.back();
      stack.pop_back();
      if (!overlap(a, i, b, j)) continue;
      const SphereTree::Node &m = model.tree->node(i), &n = model.tree->node(j);
      if (m.is_leaf() && n.is_leaf()) {
        touch(a, i, b, j, pair.contacts);
      } else if (n.is_leaf() || (!m.is_leaf() && a.radii[i] > b.radii[j])) {
        stack.emplace_back(m.left, j);
        stack.emplace_back(m.right, j);
      } else {
        stack.emplace_back(i, n.left);
        stack.emplace_back(i, n.right);
      }
    }
  }

  void touch(const Body& a, int i, const Body& b, int j, std::vector<Contact>& contacts) const {
    const Vector3 apart = a.centres.col(i) - b.centres.col(j);
    const double distance = apart.norm();
    if (distance == 0.0) return;  // no direction for a force
    const double radius_b = model.tree->rest_radius(j);
    const double depth = model.tree->rest_radius(i) + radius_b - distance;
    if (depth <= 0.0) return;
    const Vector3 normal = apart / distance;
    const Vector3 point = b.centres.col(j) + (radius_b - 0.5 * depth) * normal;
    const Vector3 slip = velocity(a, i, point) - velocity(b, j, point);
    contacts.push_back({i, j, point, law.force(depth, normal, slip), depth});
  }

  void apply(Body& body, int node, const Vector3& point, const Vector3& force) const {
    body.force += force;
    body.torque += (point - body.rigid.centre).cross(force);
    body.reduced_force.noalias() +=
        model.tree->centre_motion(node).transpose() * (body.rigid.orientation.conjugate() * force);
  }

  // @returns {number, deepest} of the ground contacts
  std::pair<int, double> gather(std::size_t index) {
    Body& body = bodies[index];
    body.force = model.rigid.mass * gravity;
    body.torque.setZero();
    body.reduced_force.setZero();
    pair_force[index].setZero();
    for (const std::size_t p : pairs_of[index]) {
      const bool first = pairs[p].a == static_cast<int>(index);
      for (const Contact& contact : pairs[p].contacts) {
        const Vector3 force = first ? contact.force : Vector3(-contact.force);
        apply(body, first ? contact.leaf_a : contact.leaf_b, contact.point, force);
        pair_force[index] += force;
      }
    }
    ground_force[index].setZero();
    int count = 0;
    double deepest = 0.0;
    if (body.centres(1, 0) < body.radii[0]) {
      for (const int leaf : model.tree->leaves()) {
        const double radius = model.tree->rest_radius(leaf);
        const double depth = radius - body.centres(1, leaf);
        if (depth <= 0.0) continue;
        const Vector3 point = body.centres.col(leaf) - (radius - 0.5 * depth) * Vector3::UnitY();
        const Vector3 force = law.force(depth, Vector3::UnitY(), velocity(body, leaf, point));
        apply(body, leaf, point, force);
        ground_force[index] += force;
        deepest = std::max(deepest, depth);
        ++count;
      }
    }
    return {count, deepest};
  }
};

BodySwarm::BodySwarm(const SwarmModel& model, const std::vector<RigidState>& starts, double dt,
                     const Vector3& gravity, const PenaltyLaw& law)
    : state_(new State{model, dt, gravity, law, {}, {}, {}, {}, {}}) {
  const auto r = static_cast<Eigen::Index>(model.energy->dimension());
  for (const RigidState& start : starts) {
    Body& body = state_->bodies.emplace_back(
        NewmarkIntegrator(*model.energy, dt, model.damping, model.newton));
    body.rigid = start;
    body.reduced_force = Eigen::VectorXd::Zero(r);
  }
  state_->pairs_of.resize(starts.size());
  state_->ground_force.resize(starts.size());
  state_->pair_force.resize(starts.size());
}

BodySwarm::~BodySwarm() = default;

SwarmReport BodySwarm::step() {
  State& s = *state_;
  SwarmReport report;
  const std::size_t n = s.bodies.size();
  const auto start = Clock::now();
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { s.place_spheres(s.bodies[i]); });
  s.find_pairs();
  tbb::parallel_for(std::size_t{0}, s.pairs.size(), [&](std::size_t p) { s.collide(s.pairs[p]); });
  std::vector<std::pair<int, double>> ground(n);
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { ground[i] = s.gather(i); });
  report.contact_seconds = seconds_since(start);

  report.body_pairs = static_cast<int>(s.pairs.size());
  for (const BodyPair& pair : s.pairs) {
    report.pair_contacts += static_cast<int>(pair.contacts.size());
    for (const Contact& c : pair.contacts) {
      report.deepest_pair = std::max(report.deepest_pair, c.depth);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    report.ground_contacts += ground[i].first;
    report.deepest_ground = std::max(report.deepest_ground, ground[i].second);
    s.gravity_impulse += s.dt * s.model.rigid.mass * s.gravity;
    s.ground_impulse += s.dt * s.ground_force[i];
    s.pair_impulse += s.dt * s.pair_force[i];
    advance(s.model.rigid, s.bodies[i].force, s.bodies[i].torque, s.dt, s.bodies[i].rigid);
  }

  const auto newmark = Clock::now();
  std::vector<StepResult> results(n);
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
    const Eigen::VectorXd& f = s.bodies[i].reduced_force;
    results[i] = s.bodies[i].integrator.step({f.data(), static_cast<std::size_t>(f.size())});
  });
  report.newmark_seconds = seconds_since(newmark);
  report.refused_steps = static_cast<int>(std::count_if(
      results.begin(), results.end(), [](StepResult r) { return r != StepResult::kOk; }));
  return report;
}

int BodySwarm::size() const {
  return static_cast<int>(state_->bodies.size());
}

const RigidState& BodySwarm::rigid(int body) const {
  return state_->bodies[static_cast<std::size_t>(body)].rigid;
}

ReducedState BodySwarm::reduced(int body) const {
  return state_->bodies[static_cast<std::size_t>(body)].integrator.state();
}

Vector3 BodySwarm::gravity_impulse() const {
  return state_->gravity_impulse;
}

Vector3 BodySwarm::ground_impulse() const {
  return state_->ground_impulse;
}

Vector3 BodySwarm::pair_impulse() const {
  return state_->pair_impulse;
}

}  // namespace haptic

// The core of a condensed body: microseconds of a step against contacts (1 to 200) and degrees of
// freedom (1,152 to 9,999), of contacts that move and of the pose, beside the processor time in
// which this machine copies as many bytes: floor_us, to be compared with the column CPU
// (docs/methods/static-dynamic.md, "Cost"). The compliance is made up: only its size matters here.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/cone_solver.h"
#include "rt/worlds/condensed/constraint_solver.h"
#include "rt/worlds/condensed/contact_response.h"
#include "rt/worlds/condensed/stability_limit.h"

namespace haptic {
namespace {

constexpr std::size_t kModes = 15;
constexpr std::size_t kNodesOfContact = 12;  // of a triangle whose vertices share an element's face

/// C = kernel of distances + U1 L1^-1 U1^T, so that C2 is positive definite.
struct MadeUpBody {
  explicit MadeUpBody(std::size_t s) : dof(s), compliance(s * s), modes(s * kModes) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < kModes; ++i) eigenvalues.push_back(1e3 * double((i + 1) * (i + 1)));
    for (double& u : modes) u = double(normal(random));
    const double spread = 30.0;  // nodes
    std::vector<float> falling(s);
    for (std::size_t d = 0; d < s; ++d)
      falling[d] = float(1e-3 * std::exp(-double(d / 3) / spread));
    std::vector<float> softness(s * kModes);
    for (std::size_t i = 0; i < s * kModes; ++i) {
      softness[i] = float(modes[i] / std::sqrt(eigenvalues[i % kModes]));
    }
    for (std::size_t i = 0; i < s; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        float sum = i % 3 == j % 3 ? falling[i - j] : 0.0f;
        for (std::size_t k = 0; k < kModes; ++k) {
          sum += softness[i * kModes + k] * softness[j * kModes + k];
        }
        compliance[i * s + j] = compliance[j * s + i] = sum;
      }
    }
  }
  CondensedModel model() const {
    CondensedModel model;
    model.compliance = {dof, compliance, {}};
    model.mode_count = kModes;
    model.modes = modes;
    model.eigenvalues = eigenvalues;
    return model;
  }
  /// A contact at neighbouring nodes.
  condensed::ContactRow row(std::size_t from) const {
    condensed::ContactRow row;
    row.count = kNodesOfContact;
    for (std::size_t k = 0; k < kNodesOfContact; ++k) {
      row.nodes[k] = std::uint32_t((from + k) % (dof / 3));
      row.weights[k] = 1.0 / double(kNodesOfContact);
    }
    return row;
  }
  /// Contact i of c at time t: spread over the body, each in nodes of its own.
  condensed::ContactRow row(std::size_t i, std::size_t c, std::size_t t) const {
    return row(i * (dof / 3) / c + t);
  }

  std::size_t dof;
  std::vector<float> compliance;
  std::vector<double> modes, eigenvalues;
};

const MadeUpBody& body_of(std::size_t s) {
  // One at a time: the largest takes 400 MB.
  static std::unique_ptr<MadeUpBody> body;
  if (body == nullptr || body->dof != s) {
    body.reset();
    body = std::make_unique<MadeUpBody>(s);
  }
  return *body;
}

/// Seconds of processor time of this thread, which other processes do not lengthen.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Bytes per second that memcpy reads, from a block as large as the compliance; best of ten.
double copied_per_second(const MadeUpBody& body) {
  static std::map<std::size_t, double> known;
  double& best = known[body.dof];
  if (best > 0.0) return best;
  const std::size_t bytes = body.compliance.size() * sizeof(float);
  std::vector<float> to(body.compliance.size());
  for (int trial = 0; trial < 10; ++trial) {
    const double start = processor_seconds();
    std::memcpy(to.data(), body.compliance.data(), bytes);
    benchmark::DoNotOptimize(to.data());
    best = std::max(best, double(bytes) / (processor_seconds() - start));
  }
  return best;
}

void report_floor(benchmark::State& state, double bytes, const MadeUpBody& body) {
  state.counters["bytes"] = bytes;
  state.counters["floor_us"] = 1e6 * bytes / copied_per_second(body);
}

condensed::CondensedDynamics make(const MadeUpBody& body, condensed::ModalCoupling coupling,
                                  std::size_t contacts) {
  condensed::CondensedDynamicsSettings settings;
  settings.coupling = coupling;
  settings.modes = kModes;
  settings.capacity = contacts;
  condensed::CondensedDynamics dynamics(body.model(), settings);
  for (std::size_t i = 0; i < contacts; ++i) {
    (void)dynamics.add_contact(body.row(i, contacts, 0));
  }
  return dynamics;
}

/// Free motion, solution by factorisation, modes: contacts that stay.
void step(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  const auto coupling = state.range(2) == 1 ? condensed::ModalCoupling::kStaticsDriveDynamics
                                            : condensed::ModalCoupling::kMultipliers;
  condensed::CondensedDynamics dynamics = make(body, coupling, contacts);
  condensed::ConstraintSolver solver(3 * contacts);
  std::vector<double> x(3 * contacts);
  for (auto _ : state) {
    dynamics.prepare();
    const auto free = dynamics.free_displacement();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1e-4 - free[i];
    solver.factorise(dynamics.effective_compliance(), dynamics.contacts().scale());
    solver.solve(x, x);
    if (!dynamics.advance(x)) state.SkipWithError("diverged");
  }
  state.counters["rank"] = double(solver.rank());
}

/// One contact moves: its rows of C and its blocks with the others.
void one_contact_moves(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  condensed::CondensedDynamics dynamics =
      make(body, condensed::ModalCoupling::kMultipliers, contacts);
  std::size_t t = 0;
  for (auto _ : state) {
    t += kNodesOfContact;
    dynamics.replace_contact(0, body.row(t));
  }
  report_floor(state, 3.0 * kNodesOfContact * double(body.dof) * sizeof(float), body);
}

/// All contacts move in every step.
void all_contacts_move(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  condensed::CondensedDynamics dynamics =
      make(body, condensed::ModalCoupling::kMultipliers, contacts);
  std::size_t t = 0;
  for (auto _ : state) {
    t += kNodesOfContact;
    for (std::size_t i = 0; i < contacts; ++i) {
      dynamics.replace_contact(i, body.row(i, contacts, t));
    }
  }
  report_floor(state, 3.0 * kNodesOfContact * double(contacts * body.dof) * sizeof(float), body);
}

/// The displayed pose of all nodes: 3c + m rows of doubles.
void pose_of_all_nodes(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  condensed::CondensedDynamics dynamics =
      make(body, condensed::ModalCoupling::kMultipliers, contacts);
  std::vector<double> u(body.dof);
  for (auto _ : state) {
    dynamics.node_displacements(u);
    benchmark::DoNotOptimize(u.data());
  }
  report_floor(state, double((3 * contacts + kModes) * body.dof) * sizeof(double), body);
}

void stability_of_the_set(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  const condensed::CondensedDynamics dynamics =
      make(body, condensed::ModalCoupling::kStaticsDriveDynamics, contacts);
  condensed::StabilityLimit limit(body.eigenvalues, {}, condensed::ModalIntegrator::kImplicit,
                                  contacts);
  for (auto _ : state) {
    benchmark::DoNotOptimize(limit.stable(condensed::system_of(dynamics.contacts()), 1e-3));
  }
}

/// Pressures or friction forces of contacts of which about half press, warm.
void cone(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  const condensed::CondensedDynamics dynamics =
      make(body, condensed::ModalCoupling::kMultipliers, contacts);
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> b(3 * contacts), now(b), normals(b), lambda(b);
  for (std::size_t i = 0; i < contacts; ++i) {
    normals[3 * i + i % 3] = 1.0;
    for (std::size_t a = 0; a < 3; ++a) b[3 * i + a] = 1e-4 * normal(random);
  }
  const std::vector<double> mu(contacts, 0.1 * double(state.range(2)));
  condensed::ConeSolver solver(contacts, 50);
  std::size_t iterations = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < b.size(); ++i) now[i] = b[i] * (1.0 + 0.01 * normal(random));
    iterations = solver.solve(dynamics.effective_compliance(), now, normals, mu, lambda).iterations;
  }
  state.counters["iterations"] = double(iterations);
}

/// The response of the held body, for a servo at its own rate, of contacts that all press and
/// stick.
void response(benchmark::State& state) {
  const MadeUpBody& body = body_of(std::size_t(state.range(0)));
  const auto contacts = std::size_t(state.range(1));
  const condensed::CondensedDynamics dynamics =
      make(body, condensed::ModalCoupling::kMultipliers, contacts);
  std::vector<double> normals(3 * contacts), forces(normals), slips(normals);
  std::vector<condensed::ContactResponse::Jacobian> jacobians(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    normals[3 * i + 1] = 1.0;
    forces[3 * i + 1] = -1.0;
    const Vector3 arm(1e-3 * double(i % 7), 0.0, 1e-3 * double(i % 5));
    jacobians[i] << Matrix3::Identity(), -skew(arm);
  }
  const std::vector<double> friction(contacts, 0.5);
  Vector6 stiffness;
  stiffness << Vector3::Constant(400.0), Vector3::Constant(0.5);
  const Matrix6 mobility = stiffness.cwiseInverse().asDiagonal();
  condensed::ContactResponse solver(contacts);
  HeldResponse found;
  for (auto _ : state) {
    if (!solver.find({dynamics.effective_compliance(), jacobians, normals, forces, slips, friction},
                     mobility, stiffness, Vector6::Constant(0.1), found)) {
      state.SkipWithError("singular");
    }
  }
}

const std::vector<std::int64_t> kDof{1152, 3000, 9999};
const std::vector<std::int64_t> kContacts{1, 2, 5, 10, 20, 50, 100, 200};

void arguments(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"dof", "contacts"});
  for (const std::int64_t s : kDof) {
    for (const std::int64_t c : kContacts) benchmark->Args({s, c});
  }
  benchmark->Unit(benchmark::kMicrosecond);
}

BENCHMARK(step)
    ->ArgNames({"dof", "contacts", "method"})
    ->ArgsProduct({{1152}, kContacts, {1, 2}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(one_contact_moves)->Apply(arguments);
BENCHMARK(all_contacts_move)->Apply(arguments);
BENCHMARK(pose_of_all_nodes)->Apply(arguments);
BENCHMARK(stability_of_the_set)
    ->ArgNames({"dof", "contacts"})
    ->ArgsProduct({{1152}, kContacts})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(response)
    ->ArgNames({"dof", "contacts"})
    ->ArgsProduct({{1152}, kContacts})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(cone)
    ->ArgNames({"dof", "contacts", "mu_tenths"})
    ->ArgsProduct({{1152}, kContacts, {0, 4}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptic

BENCHMARK_MAIN();

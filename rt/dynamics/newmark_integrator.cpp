#include "rt/dynamics/newmark_integrator.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "rt/dynamics/symmetric_kernels.h"
#include "rt/dynamics/vector_views.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Average acceleration: a3 = 1, a5 = -1, a6 = 0.
constexpr double kBeta = 0.25;
constexpr double kGamma = 0.5;

/// Largest residual of an LDL^T solve, relative to the right-hand side: its diagonal pivoting is
/// not backward stable on every indefinite matrix.
constexpr double kIndefiniteResidual = 1e-8;

/// Of the line search: least decrease as a fraction of the slope, and what is rounding of the
/// terms.
constexpr double kSufficientDecrease = 1e-4, kRounding = 1e-13;
/// Shifts of an indefinite matrix, each ten times the one before; the first doubles the inertia.
constexpr int kMaxShifts = 12;

}  // namespace

struct NewmarkIntegrator::Memory {
  explicit Memory(std::uint32_t r)
      : capacity(r),
        memory(capacity, 12, 4),
        ldlt(r),
        whole(Eigen::MatrixXd::Identity(r, r)),
        whole_rhs(Eigen::VectorXd::Zero(r)),
        workspace(r),
        viscous_workspace(r),
        padded_v(workspace.stiffness().stride),
        padded_b(padded_v.size()),
        padded_image(padded_v.size()),
        solver(solve_work(padded_v.size())),
        cholesky(factor) {
    place(r);
  }

  void place(Eigen::Index r) HAPTIC_REALTIME {
    memory.place(r, {&q, &v, &a, &q_next, &v_next, &a_next, &start, &move, &R, &rhs, &dq, &image},
                 {&K, &A, &G, &factor});
  }

  /// The state gets `r` coordinates: those behind vanish, and new ones are at rest at zero.
  void resize(std::size_t r) HAPTIC_REALTIME {
    const auto before = static_cast<std::size_t>(q.size());
    resize_square(K.data(), before, r);
    resize_square(G.data(), before, r);
    place(static_cast<Eigen::Index>(r));
    for (double* const values : {q.data(), v.data(), a.data()}) {
      std::fill(values + std::min(before, r), values + std::max(before, r), 0.0);
    }
    for (AlignedVector<double>* const x : {&padded_v, &padded_b, &padded_image}) {
      std::fill(x->begin(), x->end(), 0.0);
    }
    evaluated = false;
  }

  /// dq = A^-1 rhs. @returns false if neither factorisation solves it
  bool solve() HAPTIC_REALTIME { return solve_definite() ? dq.allFinite() : solve_indefinite(); }
  /// @returns whether A is positive definite
  bool solve_definite() HAPTIC_REALTIME {
    if (!cholesky.compute(A)) return false;
    dq = rhs;
    cholesky.solve_in_place(dq);
    return true;
  }

  bool solve_indefinite() HAPTIC_REALTIME {
    if (!A.allFinite()) return false;
    // Of the size at construction, so that it allocates nothing; behind A is the identity.
    const Eigen::Index r = q.size();
    whole.setIdentity();
    whole.topLeftCorner(r, r) = A;
    ldlt.compute(whole);
    if (ldlt.info() != Eigen::Success) return false;
    whole_rhs.setZero();
    whole_rhs.head(r) = rhs;
    ldlt.solveInPlace(whole_rhs);
    dq = whole_rhs.head(r);
    image.noalias() = A * dq;
    image -= rhs;
    // The comparison is false if the residual is NaN.
    return image.norm() <= kIndefiniteResidual * rhs.norm() && dq.allFinite();
  }

  /// Whether the new state is finite, and small enough that its energies are finite too; from any
  /// other state the next step would fail.
  bool next_is_finite() const HAPTIC_REALTIME {
    const double q2 = q_next.squaredNorm();
    return std::isfinite(q2 * q2) && std::isfinite(v_next.squaredNorm()) &&
           std::isfinite(a_next.squaredNorm());
  }
  bool next_has_grown(const GrowthLimit& limit) const HAPTIC_REALTIME {
    return q_next.squaredNorm() > limit.norm * limit.norm ||
           (q_next - q).squaredNorm() > limit.step * limit.step;
  }
  /// Copies, so that views on the state stay valid.
  void accept() HAPTIC_REALTIME {
    q = q_next;
    v = v_next;
    a = a_next;
  }

  /// M, if it is not the identity; symmetric, so row-major and column-major storage are equal.
  Eigen::Map<const Eigen::MatrixXd> mass(const ReducedSystem& system) const HAPTIC_REALTIME {
    return {system.mass.data(), q.size(), q.size()};
  }

  static constexpr std::nullptr_t kNone = nullptr;
  std::size_t capacity;  // largest dimension
  ViewMemory memory;
  VectorView q{kNone, 0}, v{kNone, 0}, a{kNone, 0};                 // last good state
  VectorView q_next{kNone, 0}, v_next{kNone, 0}, a_next{kNone, 0};  // new state
  VectorView start{kNone, 0}, move{kNone, 0};                       // of a Newton step under search
  VectorView R{kNone, 0}, rhs{kNone, 0}, dq{kNone, 0}, image{kNone, 0};
  MatrixView K{kNone, 0, 0}, A{kNone, 0, 0}, G{kNone, 0, 0}, factor{kNone, 0, 0};
  bool evaluated = false;  // the workspace and R are those of q_next
  Eigen::LDLT<Eigen::MatrixXd> ldlt;
  Eigen::MatrixXd whole;
  Eigen::VectorXd whole_rhs;
  std::array<double, kMaxReducedDimension> all;  // coordinates of the energy
  ReducedEnergy::Workspace workspace;
  ViscousDamping::Workspace viscous_workspace;
  // Of iterate_plain, padded with zeros for the kernels.
  AlignedVector<double> padded_v, padded_b, padded_image, solver;
  CholeskyInView cholesky;
};

NewmarkIntegrator::NewmarkIntegrator(const ReducedSystem& system, double dt, NewtonSettings newton,
                                     GrowthLimit limit)
    : system_(system), dt_(dt), newton_(newton), limit_(limit) {
  require_valid("newmark integrator", dt, system);
  c_ = {1.0 / (kBeta * dt * dt), 1.0 / (kBeta * dt),   (1.0 - 2.0 * kBeta) / (2.0 * kBeta),
        kGamma / (kBeta * dt),   1.0 - kGamma / kBeta, (1.0 - kGamma / (2.0 * kBeta)) * dt};
  if (newton.iterations < 1) {
    throw InputError("newmark integrator", "iterations", "found 0", "at least 1");
  }
  if (!(newton.tolerance >= 0.0)) {
    throw InputError("newmark integrator", "tolerance", fmt::format("found {}", newton.tolerance),
                     "a number >= 0");
  }
  memory_ = std::make_unique<Memory>(system.energy->dimension());
  memory_->resize(system.dimension());
}

NewmarkIntegrator::NewmarkIntegrator(NewmarkIntegrator&&) noexcept = default;
NewmarkIntegrator& NewmarkIntegrator::operator=(NewmarkIntegrator&&) noexcept = default;
NewmarkIntegrator::~NewmarkIntegrator() = default;

/// All coordinates of the energy: q, then the fixed ones.
std::span<const double> NewmarkIntegrator::with_fixed(std::span<const double> q) HAPTIC_REALTIME {
  if (system_.fixed.empty()) return q;
  std::array<double, kMaxReducedDimension>& all = memory_->all;
  std::copy(q.begin(), q.end(), all.begin());
  std::ranges::copy(system_.fixed, all.begin() + static_cast<std::ptrdiff_t>(q.size()));
  return std::span(all).first(q.size() + system_.fixed.size());
}

/// R, and the stiffness of the energy in the workspace; the memory of R has room for all
/// coordinates.
void NewmarkIntegrator::evaluate_energy(std::span<const double> q) HAPTIC_REALTIME {
  Memory& m = *memory_;
  system_.energy->evaluate(with_fixed(q), {m.R.data(), system_.energy->dimension()}, m.workspace);
  system_.release.add_force(q, {m.R.data(), q.size()});
}

void NewmarkIntegrator::evaluate(std::span<const double> q) HAPTIC_REALTIME {
  Memory& m = *memory_;
  if (!m.evaluated) evaluate_energy(q);
  symmetric_kernels(system_.energy->simd()).unpack(m.workspace.stiffness(), q.size(), m.K.data());
  system_.release.add_stiffness({m.K.data(), q.size() * q.size()});
  if (system_.viscosity != nullptr) {
    system_.viscosity->evaluate(with_fixed(q), view(m.G), m.viscous_workspace);
    m.G *= system_.viscosity_scale;
  }
}

void NewmarkIntegrator::set_rates() HAPTIC_REALTIME {
  Memory& m = *memory_;
  for (Eigen::Index i = 0; i < m.q.size(); ++i) {
    const double moved = m.q_next[i] - m.q[i];
    m.v_next[i] = c_.a4 * moved + c_.a5 * m.v[i] + c_.a6 * m.a[i];
    m.a_next[i] = c_.a1 * moved - c_.a2 * m.v[i] - c_.a3 * m.a[i];
  }
}

NewmarkIntegrator::Iteration NewmarkIntegrator::iterate_plain(std::span<const double> f_ext)
    HAPTIC_REALTIME {
  Memory& m = *memory_;
  const double alpha = system_.damping.alpha, beta = system_.damping.beta;
  const SymmetricKernels& kernels = symmetric_kernels(system_.energy->simd());
  if (!m.evaluated) evaluate_energy(view(m.q_next));
  HalvedTriangle K = m.workspace.stiffness();
  K.rows = static_cast<std::size_t>(m.q.size());  // without those of the fixed coordinates
  set_rates();
  const Eigen::Index r = m.q.size();
  for (Eigen::Index i = 0; i < r; ++i) {
    m.rhs[i] = f_ext[static_cast<std::size_t>(i)] - m.R[i] - m.a_next[i] - alpha * m.v_next[i];
  }
  if (beta > 0.0) {
    std::copy(m.v_next.data(), m.v_next.data() + r, m.padded_v.data());
    kernels.product(K, m.padded_v.data(), m.padded_image.data(), m.solver.data());
    for (Eigen::Index i = 0; i < r; ++i) {
      m.rhs[i] -= beta * m.padded_image[static_cast<std::size_t>(i)];
    }
  }
  if (newton_.tolerance > 0.0 && m.rhs.norm() < newton_.tolerance) return Iteration::kConverged;

  const double scale = 1.0 + c_.a4 * beta, shift = c_.a1 + c_.a4 * alpha;
  std::copy(m.rhs.data(), m.rhs.data() + r, m.padded_b.data());
  if (kernels.solve(K, scale, shift, m.padded_b.data(), m.solver.data())) {
    for (Eigen::Index i = 0; i < r; ++i) m.q_next[i] += m.padded_b[static_cast<std::size_t>(i)];
    return Iteration::kStepped;
  }
  for (Eigen::Index i = 0; i < r; ++i) {
    const double* row = K.values + static_cast<std::size_t>(i) * K.stride;
    for (Eigen::Index j = 0; j < i; ++j) m.A(i, j) = m.A(j, i) = scale * row[j];
    m.A(i, i) = 2.0 * scale * row[i] + shift;
  }
  if (!solve_indefinite()) return Iteration::kFailed;
  m.q_next += m.dq;
  return Iteration::kStepped;
}

bool NewmarkIntegrator::solve_indefinite() HAPTIC_REALTIME {
  Memory& m = *memory_;
  if (!searches()) return m.solve_indefinite();
  if (!m.A.allFinite()) return false;
  // The shift keeps the step a descent direction.
  double shift = c_.a1, shifted = 0.0;
  for (int i = 0; i < kMaxShifts; ++i, shift *= 10.0) {
    if (system_.mass.empty()) {
      m.A.diagonal().array() += shift - shifted;
    } else {
      m.A += (shift - shifted) * m.mass(system_);
    }
    shifted = shift;
    if (m.solve_definite()) return m.dq.allFinite();
  }
  return false;
}

void NewmarkIntegrator::assemble() HAPTIC_REALTIME {
  Memory& m = *memory_;
  const double alpha = system_.damping.alpha, beta = system_.damping.beta;
  evaluate(view(m.q_next));
  set_rates();
  m.A = (1.0 + c_.a4 * beta) * m.K;
  m.rhs = -m.R;
  if (system_.mass.empty()) {
    m.rhs -= m.a_next + alpha * m.v_next;
    m.A.diagonal().array() += c_.a1 + c_.a4 * alpha;
  } else {
    m.image = m.a_next + alpha * m.v_next;
    m.rhs.noalias() -= m.mass(system_) * m.image;
    m.A += (c_.a1 + c_.a4 * alpha) * m.mass(system_);
  }
  if (beta > 0.0) m.rhs.noalias() -= beta * (m.K * m.v_next);
  if (system_.viscosity != nullptr) {
    m.rhs.noalias() -= m.G * m.v_next;
    m.A += c_.a4 * m.G;
  }
}

NewmarkIntegrator::Iteration NewmarkIntegrator::iterate(std::span<const double> f_ext)
    HAPTIC_REALTIME {
  Memory& m = *memory_;
  assemble();
  m.rhs += vector_of(f_ext);
  if (m.rhs.norm() < newton_.tolerance) return Iteration::kConverged;
  if (!(m.solve_definite() ? m.dq.allFinite() : solve_indefinite())) return Iteration::kFailed;
  m.q_next += m.dq;
  return Iteration::kStepped;
}

// P(q) = 1/2 (a1 + alpha a4) |d|_M^2 - M d.(a2 q' + a3 q'' - alpha c) + W - f.d
//        + beta (R.(a4 d + c) - a4 W),  d = q - q_n, c = a5 q' + a6 q'' the velocity at d = 0;
// dP/dq is the residual, because d/dq [R.(a4 d + c) - a4 W] = K (a4 d + c).
NewmarkIntegrator::Potential NewmarkIntegrator::potential(std::span<const double> f_ext)
    HAPTIC_REALTIME {
  Memory& m = *memory_;
  const double alpha = system_.damping.alpha, beta = system_.damping.beta;
  if (beta > 0.0 && !m.evaluated) {
    evaluate_energy(view(m.q_next));
    m.evaluated = true;
  }
  const double W =
      (beta > 0.0 ? m.workspace.energy() : system_.energy->energy(with_fixed(view(m.q_next)))) +
      system_.release.energy(view(m.q_next));
  m.dq = m.q_next - m.q;
  if (system_.mass.empty()) {
    m.image = m.dq;
  } else {
    m.image.noalias() = m.mass(system_) * m.dq;
  }
  double inertia = 0.0, work = 0.0, damped = 0.0;
  for (Eigen::Index i = 0; i < m.q.size(); ++i) {
    const double coast = c_.a5 * m.v[i] + c_.a6 * m.a[i];
    inertia += m.image[i] * (0.5 * (c_.a1 + alpha * c_.a4) * m.dq[i] - c_.a2 * m.v[i] -
                             c_.a3 * m.a[i] + alpha * coast);
    work += f_ext[static_cast<std::size_t>(i)] * m.dq[i];
    if (beta > 0.0) damped += m.R[i] * (c_.a4 * m.dq[i] + coast);
  }
  if (beta > 0.0) damped = beta * (damped - c_.a4 * W);
  return {inertia + W - work + damped,
          std::abs(inertia) + std::abs(W) + std::abs(work) + std::abs(damped)};
}

// 1/2 q'.G q' / a4, whose gradient is G q' for a constant G.
double NewmarkIntegrator::viscous_potential(std::span<const double> q) HAPTIC_REALTIME {
  if (system_.viscosity == nullptr) return 0.0;
  Memory& m = *memory_;
  m.dq = c_.a4 * (vector_of(q) - m.q) + c_.a5 * m.v + c_.a6 * m.a;
  m.image.noalias() = m.G * m.dq;
  return 0.5 / c_.a4 * m.dq.dot(m.image);
}

bool NewmarkIntegrator::descend(std::span<const double> f_ext, bool plain) HAPTIC_REALTIME {
  Memory& m = *memory_;
  Potential before = potential(f_ext);
  for (std::uint32_t i = 0; i < newton_.iterations; ++i) {
    m.start = m.q_next;
    const Iteration result = plain ? iterate_plain(f_ext) : iterate(f_ext);
    if (result == Iteration::kFailed) return false;
    if (result == Iteration::kConverged) break;
    m.evaluated = false;
    m.move = m.q_next - m.start;
    const double slope = -m.rhs.dot(m.move);
    if (!std::isfinite(before.value) || !std::isfinite(slope)) return false;
    // G is that of the iterate in all of them.
    const double viscous_before = viscous_potential(view(m.start));
    Potential after = potential(f_ext);
    const auto decreases = [&](double length) HAPTIC_REALTIME {
      const double viscous = viscous_potential(view(m.q_next));
      const double rounding =
          kRounding * (before.magnitude + viscous_before + after.magnitude + viscous);
      return after.value + viscous <=
             before.value + viscous_before + kSufficientDecrease * length * slope + rounding;
    };
    double length = 1.0;
    for (std::uint32_t halvings = 0; !decreases(length); ++halvings) {
      m.evaluated = false;
      if (halvings == kMaxHalvings) {
        m.q_next = m.start;
        return std::isfinite(after.value);
      }
      ++backtracks_;
      length *= 0.5;
      m.q_next = m.start + length * m.move;
      after = potential(f_ext);
    }
    before = after;
  }
  return true;
}

NewmarkIntegrator::StepSystem NewmarkIntegrator::prepare(std::span<const double> dq)
    HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(dq.size()) == m.q.size());
  m.dq = vector_of(dq);
  m.q_next = m.q + m.dq;
  m.evaluated = false;
  assemble();
  m.rhs.noalias() += m.A * m.dq;
  return {{m.A.data(), static_cast<std::size_t>(m.A.size())}, view(m.rhs)};
}

bool NewmarkIntegrator::contact_acceleration(std::span<const double> dq,
                                             double contact_weight) HAPTIC_REALTIME {
  Memory& m = *memory_;
  m.dq = vector_of(dq);
  m.image.noalias() = m.A * m.dq;
  m.image = (m.image - m.rhs) / contact_weight;
  if (system_.mass.empty()) return m.image.allFinite();
  if (!m.cholesky.compute(m.mass(system_))) return false;
  m.cholesky.solve_in_place(m.image);
  return m.image.allFinite();
}

StepResult NewmarkIntegrator::complete(std::span<const double> dq,
                                       double contact_weight) HAPTIC_REALTIME {
  Memory& m = *memory_;
  if (!contact_acceleration(dq, contact_weight)) return StepResult::kDiverged;
  m.q_next = m.q + m.dq;
  set_rates();
  // set_rates() computes q'_next as if the contact were spread over the step, and q''_next with the
  // contact included.
  const double early = (0.5 * contact_weight - 1.0) * dt_;
  m.v_next -= early * m.image;
  m.a_next -= contact_weight * m.image;
  if (early > 0.0) {
    // The prepared system damps the velocity without the early impulse; q''_next is that at
    // q'_next.
    m.dq.noalias() = system_.damping.beta * (m.K * m.image);
    if (system_.viscosity != nullptr) m.dq.noalias() += m.G * m.image;
    if (!system_.mass.empty()) m.cholesky.solve_in_place(m.dq);
    m.a_next += early * (m.dq + system_.damping.alpha * m.image);
  }
  if (m.a_next.norm() > limit_.acceleration) {
    cap_acceleration();
    m.v_next += dt_ * m.image;
    m.q_next += 0.25 * contact_weight * dt_ * dt_ * m.image;
  }
  if (!m.next_is_finite()) return StepResult::kDiverged;
  if (m.next_has_grown(limit_)) return StepResult::kGrown;
  m.accept();
  return StepResult::kOk;
}

bool NewmarkIntegrator::push(std::span<const double> impulse) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(impulse.size()) == m.q.size());
  m.image = vector_of(impulse);
  const bool plain = system_.mass.empty();
  if (!plain) {
    if (!m.cholesky.compute(m.mass(system_))) return false;
    m.cholesky.solve_in_place(m.image);
  }
  m.v += m.image;
  m.dq.noalias() = system_.damping.beta * (m.K * m.image);
  if (system_.viscosity != nullptr) m.dq.noalias() += m.G * m.image;
  if (!plain) m.cholesky.solve_in_place(m.dq);
  m.a -= m.dq + system_.damping.alpha * m.image;
  return true;
}

// With a = M (q'' + q''_next) / 2 and c = dt^2 / 2 M^-1 f, kinetic and elastic energy change by at
// most (dq - c) . (a + f) - dq . a = f . dq - c . (a + f), and the convex contact potential by at
// most -f . dq. The sum is at most -c . (a + f). From the step, a = 2 M (dq / dt - q') / dt - 2 f.
double NewmarkIntegrator::excess_work(std::span<const double> dq) HAPTIC_REALTIME {
  Memory& m = *memory_;
  if (!contact_acceleration(dq, kImpulseFirst)) return 0.0;
  const double twice = 2.0 / dt_;
  double sum = 0.0;
  if (system_.mass.empty()) {
    sum = m.image.dot(twice * (m.dq / dt_ - m.v) - m.image);
  } else {
    m.dq = twice * (m.dq / dt_ - m.v) - m.image;
    m.R.noalias() = m.mass(system_) * m.dq;
    sum = m.image.dot(m.R);
  }
  return -0.5 * dt_ * dt_ * sum;
}

StepResult NewmarkIntegrator::step(std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(static_cast<Eigen::Index>(f_ext.size()) == m.q.size());
  const bool plain =
      system_.viscosity == nullptr && system_.mass.empty() && !system_.release.active();
  m.q_next = m.q;
  m.evaluated = false;
  if (searches()) {
    if (!descend(f_ext, plain)) return StepResult::kDiverged;
  } else {
    const Iteration result = plain ? iterate_plain(f_ext) : iterate(f_ext);
    if (result == Iteration::kFailed) return StepResult::kDiverged;
  }
  set_rates();
  cap_acceleration();
  if (!m.next_is_finite()) return StepResult::kDiverged;
  if (m.next_has_grown(limit_)) return StepResult::kGrown;
  m.accept();
  return StepResult::kOk;
}

// q1 = q + dt q' + dt^2 / 4 (q'' + q''1), q'1 = q' + dt / 2 (q'' + q''1) of average acceleration.
void NewmarkIntegrator::cap_acceleration() HAPTIC_REALTIME {
  Memory& m = *memory_;
  const double size = m.a_next.norm();
  if (!(size > limit_.acceleration)) return;
  m.a_next *= limit_.acceleration / size;
  m.v_next = m.v + 0.5 * dt_ * (m.a + m.a_next);
  m.q_next = m.q + dt_ * m.v + 0.25 * dt_ * dt_ * (m.a + m.a_next);
}

void NewmarkIntegrator::set_system(const ReducedSystem& system) HAPTIC_REALTIME {
  HAPTIC_ASSERT(system.energy->dimension() <= memory_->capacity);
  const std::size_t before = static_cast<std::size_t>(memory_->q.size());
  if (system.dimension() < before) keep_momentum(system.dimension());
  if (system.dimension() != before) memory_->resize(system.dimension());
  system_ = system;
}

// Stopping the coordinates behind r is an impulse on these alone: with p = M q' of the first r,
//   q'_new = M_rr^-1 p = q' + M_rr^-1 M_rt q'_t,
// which has the least kinetic energy for this p. The same for q''.
void NewmarkIntegrator::keep_momentum(std::size_t r) HAPTIC_REALTIME {
  if (system_.mass.empty()) return;
  Memory& m = *memory_;
  const auto kept = static_cast<Eigen::Index>(r), lost = m.q.size() - kept;
  const Eigen::Map<const Eigen::MatrixXd> mass = m.mass(system_);
  // The leading block stands in for the matrix of a step: A is of the next prepare().
  m.A.setIdentity();
  m.A.topLeftCorner(kept, kept) = mass.topLeftCorner(kept, kept);
  if (!m.cholesky.compute(m.A)) return;
  for (VectorView* const x : {&m.v, &m.a}) {
    m.image.setZero();
    for (Eigen::Index j = 0; j < lost; ++j) {
      for (Eigen::Index i = 0; i < kept; ++i) m.image[i] += mass(i, kept + j) * (*x)[kept + j];
    }
    m.cholesky.solve_in_place(m.image);
    for (Eigen::Index i = 0; i < kept; ++i) (*x)[i] += m.image[i];
  }
}

ReducedState NewmarkIntegrator::state() const HAPTIC_REALTIME {
  const Memory& m = *memory_;
  return {view(m.q), view(m.v), view(m.a)};
}

void NewmarkIntegrator::halt() HAPTIC_REALTIME {
  memory_->v.setZero();
  memory_->a.setZero();
}

void NewmarkIntegrator::reset() HAPTIC_REALTIME {
  memory_->q.setZero();
  memory_->v.setZero();
  memory_->a.setZero();
  memory_->K.setZero();
  memory_->G.setZero();
}

StepResult NewmarkIntegrator::set_state(std::span<const double> q, std::span<const double> qdot,
                                        std::span<const double> f_ext) HAPTIC_REALTIME {
  Memory& m = *memory_;
  m.q_next = vector_of(q);
  m.v_next = vector_of(qdot);
  m.evaluated = false;
  evaluate(q);
  m.rhs = vector_of(f_ext) - m.R;
  m.rhs.noalias() -= system_.damping.beta * (m.K * m.v_next);
  if (system_.viscosity != nullptr) m.rhs.noalias() -= m.G * m.v_next;
  m.dq = m.rhs;
  if (!system_.mass.empty()) {
    m.A = m.mass(system_);
    if (!m.solve()) return StepResult::kDiverged;
  }
  m.a_next = m.dq - system_.damping.alpha * m.v_next;
  if (!m.next_is_finite()) return StepResult::kDiverged;
  m.accept();
  return StepResult::kOk;
}

}  // namespace haptic

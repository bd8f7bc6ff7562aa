#include "rt/dynamics/explicit_step_limit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/vector_views.h"
#include "shared/assert.h"

namespace haptic {
namespace {

/// K(0) of an energy whose coefficients are one row.
Eigen::MatrixXd rest_stiffness(const AlignedVector<double>& row, std::uint32_t r) {
  const std::vector<double> none2(distinct_count(r, 2)), none3(distinct_count(r, 3)),
      none4(distinct_count(r, 4));
  ReducedEnergy energy(r, none2, none3, none4);
  const double* const rows[] = {row.data()};
  const double weight = 1.0;
  energy.blend(rows, {&weight, 1});
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(r);
  Eigen::VectorXd force(r);
  Eigen::MatrixXd K(r, r);
  ReducedEnergy::Workspace workspace(r);
  energy.force_and_stiffness(view(rest), view(force), view(K), workspace);
  return K;
}

}  // namespace

struct ExplicitStepLimit::Memory {
  std::vector<Eigen::MatrixXd> stiffness;  // K(0) of each energy row
  std::vector<Eigen::MatrixXd> mass;       // 4 / dt^2 M of each mass row
  Eigen::MatrixXd difference;
  Eigen::LLT<Eigen::MatrixXd> cholesky;

  explicit Memory(Eigen::Index r) : difference(r, r), cholesky(r) {}
};

ExplicitStepLimit::ExplicitStepLimit(const MaterialRows& rows, double dt)
    : memory_(std::make_unique<Memory>(static_cast<Eigen::Index>(rows.dimension))) {
  HAPTIC_DEMAND(!rows.energy.empty() && dt > 0.0);
  const auto r = static_cast<Eigen::Index>(rows.dimension);
  Memory& m = *memory_;
  for (const AlignedVector<double>& row : rows.energy) {
    m.stiffness.push_back(rest_stiffness(row, rows.dimension));
  }
  const double scale = 4.0 / (dt * dt);
  for (const std::vector<double>& mass : rows.mass) {
    m.mass.emplace_back(scale * Eigen::Map<const Eigen::MatrixXd>(mass.data(), r, r));
  }
  if (m.mass.empty()) m.mass.emplace_back(scale * Eigen::MatrixXd::Identity(r, r));
}

ExplicitStepLimit::ExplicitStepLimit(ExplicitStepLimit&&) noexcept = default;
ExplicitStepLimit& ExplicitStepLimit::operator=(ExplicitStepLimit&&) noexcept = default;
ExplicitStepLimit::~ExplicitStepLimit() = default;

bool ExplicitStepLimit::stable(std::span<const double> weights,
                               std::span<const double> densities) HAPTIC_REALTIME {
  Memory& m = *memory_;
  HAPTIC_ASSERT(weights.size() == m.stiffness.size() && densities.size() == m.mass.size());
  m.difference.setZero();
  for (std::size_t g = 0; g < m.mass.size(); ++g) m.difference += densities[g] * m.mass[g];
  for (std::size_t row = 0; row < m.stiffness.size(); ++row) {
    m.difference -= weights[row] * m.stiffness[row];
  }
  m.cholesky.compute(m.difference);
  return m.cholesky.info() == Eigen::Success;
}

}  // namespace haptic

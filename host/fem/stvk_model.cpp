#include "host/fem/stvk_model.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "host/fem/elastic_element.h"
#include "host/fem/element_assembly.h"
#include "host/fem/stvk_element.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

StvkModel::StvkModel(SolidMesh mesh, std::span<const std::uint32_t> fixed_vertices,
                     BodySettings settings)
    : mesh_(std::move(mesh)),
      settings_(settings),
      fixed_vertices_(fixed_vertices.begin(), fixed_vertices.end()) {
  const auto& materials = mesh_.groups().materials;
  for (std::size_t g = 0; g < materials.size(); ++g) {
    const bool defined =
        materials[g].visit([&](const auto& law) { return supports(settings_.elastic, law); });
    if (defined) continue;
    throw InputError("material", fmt::format("group {}", g),
                     "found an anisotropic material for neo-Hookean elements",
                     "an isotropic one, or the stvk or corotational model");
  }
  std::sort(fixed_vertices_.begin(), fixed_vertices_.end());
  fixed_vertices_.erase(std::unique(fixed_vertices_.begin(), fixed_vertices_.end()),
                        fixed_vertices_.end());
  const auto n = static_cast<std::uint32_t>(mesh_.vertex_count());
  if (!fixed_vertices_.empty() && fixed_vertices_.back() >= n) {
    throw InputError("constraints", "vertices", fmt::format("found {}", fixed_vertices_.back()),
                     fmt::format("an index below {}", n));
  }
  if (fixed_vertices_.size() == n) {
    throw InputError("constraints", "", fmt::format("found all {} vertices constrained", n),
                     "at least one free vertex");
  }
  free_index_.assign(n, 0);
  for (const std::uint32_t v : fixed_vertices_) free_index_[v] = -1;
  for (std::uint32_t v = 0; v < n; ++v) {
    if (free_index_[v] < 0) continue;
    free_index_[v] = static_cast<int>(free_vertices_.size());
    free_vertices_.push_back(v);
  }
  colours_ = colour_elements(mesh_);
  scalar_pattern_ = scalar_pattern_of(mesh_, free_index_, free_vertex_count());
}

Eigen::MatrixXd StvkModel::restrict_to_free(const Eigen::Ref<const Eigen::MatrixXd>& full) const {
  Eigen::MatrixXd free(free_dof_count(), full.cols());
  for (Eigen::Index c = 0; c < full.cols(); ++c) {
    for (int f = 0; f < free_vertex_count(); ++f) {
      free.col(c).segment<3>(3 * f) = full.col(c).segment<3>(3 * free_vertices_[f]);
    }
  }
  return free;
}

Eigen::MatrixXd StvkModel::expand(const Eigen::Ref<const Eigen::MatrixXd>& free) const {
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(dof_count(), free.cols());
  for (Eigen::Index c = 0; c < free.cols(); ++c) {
    for (int f = 0; f < free_vertex_count(); ++f) {
      full.col(c).segment<3>(3 * free_vertices_[f]) = free.col(c).segment<3>(3 * f);
    }
  }
  return full;
}

int StvkModel::free_rigid_motions() const {
  // Gram matrix of the six rigid motions sampled at the fixed vertices, lengths in body sizes.
  const Vector3 centre = 0.5 * (mesh_.lower() + mesh_.upper());
  const double size = (mesh_.upper() - mesh_.lower()).maxCoeff();
  Matrix6 gram = Matrix6::Zero();
  for (const std::uint32_t v : fixed_vertices_) {
    Eigen::Matrix<double, 3, 6> motion;
    motion << Matrix3::Identity(), skew((mesh_.vertex(static_cast<int>(v)) - centre) / size);
    gram += motion.transpose() * motion;
  }
  const Vector6 values = Eigen::SelfAdjointEigenSolver<Matrix6>(gram).eigenvalues();
  // Fixed vertices within one element edge h still block a rotation, with (h/size)^2 in this form.
  return static_cast<int>((values.array() <= 1e-9).count());
}

template <typename ElementForce>
Eigen::VectorXd StvkModel::assemble_vector(const ElementForce& element_force) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(dof_count());
  for_each_by_colour(colours_, [&](int e) {
    visit_element(mesh_, e, [&](const auto& geometry, const auto& law) {
      const auto local = element_force(e, geometry, law);
      scatter(local, mesh_.element(e), sum);
    });
  });
  return sum;
}

void StvkModel::require_stvk() const {
  if (settings_.elastic == ElasticModel::kStvk) return;
  throw InputError("reduction", "elastic model", "found a body that is not StVK",
                   "StVK: only its energy is a quartic in reduced coordinates");
}

double StvkModel::energy(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  std::vector<double> energies(static_cast<std::size_t>(mesh_.element_count()));
  parallel_ranges(energies.size(), 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) {
      const int e = static_cast<int>(i);
      energies[i] = visit_element(mesh_, e, [&](const auto& geometry, const auto& law) {
        const auto& rule = rule_of(geometry);
        return elastic_energy(settings_.elastic, rule, law, gather(rule, u, mesh_.element(e)));
      });
    }
  });
  double sum = 0.0;
  for (const double energy : energies) sum += energy;
  return sum;
}

Eigen::VectorXd StvkModel::force(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  return assemble_vector([&](int e, const auto& geometry, const auto& law) {
    const auto& rule = rule_of(geometry);
    return elastic_force(settings_.elastic, rule, law, gather(rule, u, mesh_.element(e)));
  });
}

Eigen::VectorXd StvkModel::stiffness_product(const Eigen::Ref<const Eigen::VectorXd>& u,
                                             const Eigen::Ref<const Eigen::VectorXd>& p) const {
  return assemble_vector([&](int e, const auto& geometry, const auto& law) {
    const auto& rule = rule_of(geometry);
    const auto ids = mesh_.element(e);
    return elastic_stiffness_product(settings_.elastic, rule, law, gather(rule, u, ids),
                                     gather(rule, p, ids));
  });
}

Eigen::VectorXd StvkModel::hessian_product(const Eigen::Ref<const Eigen::VectorXd>& v,
                                           const Eigen::Ref<const Eigen::VectorXd>& w) const {
  require_stvk();
  return assemble_vector([&](int e, const auto& geometry, const auto& law) {
    const auto& rule = hessian_rule_of(geometry);
    const auto ids = mesh_.element(e);
    return stvk_hessian_product(rule, law, gather(rule, v, ids), gather(rule, w, ids));
  });
}

Eigen::VectorXd StvkModel::strain_rate_damping_force(
    const LameParameters& viscosity, const Eigen::Ref<const Eigen::VectorXd>& u,
    const Eigen::Ref<const Eigen::VectorXd>& velocity) const {
  return strain_rate_damping_force(std::span(&viscosity, 1), u, velocity);
}

Eigen::VectorXd StvkModel::strain_rate_damping_force(
    std::span<const LameParameters> viscosities, const Eigen::Ref<const Eigen::VectorXd>& u,
    const Eigen::Ref<const Eigen::VectorXd>& velocity) const {
  HAPTIC_DEMAND(viscosities.size() == 1 ||
                viscosities.size() == static_cast<std::size_t>(mesh_.group_count()));
  return assemble_vector([&](int e, const auto& geometry, const auto&) {
    const auto& rule = rule_of(geometry);
    const auto ids = mesh_.element(e);
    const auto group = static_cast<std::size_t>(viscosities.size() == 1 ? 0 : mesh_.group(e));
    return haptic::strain_rate_damping_force(rule, viscosities[group], gather(rule, u, ids),
                                             gather(rule, velocity, ids));
  });
}

SparseMatrix StvkModel::stiffness(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  SparseMatrix K = expand_blocks(scalar_pattern_, false);
  double* values = K.valuePtr();
  const int* outer = K.outerIndexPtr();
  for_each_by_colour(colours_, [&](int e) {
    visit_element(mesh_, e, [&](const auto& geometry, const auto& law) {
      const auto& rule = rule_of(geometry);
      const auto ids = mesh_.element(e);
      const auto local = elastic_stiffness(settings_.elastic, rule, law, gather(rule, u, ids));
      for (int b = 0; b < rule.kCorners; ++b) {
        const int column = free_index_[ids[b]];
        if (column < 0) continue;
        for (int a = 0; a < rule.kCorners; ++a) {
          const int row = free_index_[ids[a]];
          if (row < 0) continue;
          const int offset = 3 * rank_in_column(scalar_pattern_, row, column);
          for (int d = 0; d < 3; ++d) {
            Eigen::Map<Eigen::Vector3d>(values + outer[3 * column + d] + offset) +=
                local.template block<3, 1>(3 * a, 3 * b + d);
          }
        }
      }
    });
  });
  return K;
}

SparseMatrix StvkModel::stiffness_at_rest() const {
  return stiffness(Eigen::VectorXd::Zero(dof_count()));
}

Eigen::Matrix3Xd StvkModel::stiffness_blocks(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  Eigen::Matrix3Xd blocks = Eigen::Matrix3Xd::Zero(3, free_dof_count());
  for_each_by_colour(colours_, [&](int e) {
    visit_element(mesh_, e, [&](const auto& geometry, const auto& law) {
      const auto& rule = rule_of(geometry);
      const auto ids = mesh_.element(e);
      const auto local = elastic_stiffness(settings_.elastic, rule, law, gather(rule, u, ids));
      for (int a = 0; a < rule.kCorners; ++a) {
        const int vertex = free_index_[ids[a]];
        if (vertex < 0) continue;
        blocks.middleCols<3>(3 * vertex) += local.template block<3, 3>(3 * a, 3 * a);
      }
    });
  });
  return blocks;
}

SparseMatrix StvkModel::scalar_mass(MassKind kind) const {
  SparseMatrix mass = scalar_pattern_;
  if (kind == MassKind::kLumped) {
    mass.resize(free_vertex_count(), free_vertex_count());
    mass.setIdentity();
    mass.coeffs().setZero();
  }
  const auto add = [&](int e, const auto& local, double density) {
    const auto ids = mesh_.element(e);
    for (int b = 0; b < local.cols(); ++b) {
      const int column = free_index_[ids[b]];
      if (column < 0) continue;
      if (kind == MassKind::kLumped) {
        mass.valuePtr()[column] += density * local.col(b).sum();
        continue;
      }
      for (int a = 0; a < local.rows(); ++a) {
        const int row = free_index_[ids[a]];
        if (row < 0) continue;
        mass.valuePtr()[mass.outerIndexPtr()[column] +
                        rank_in_column(scalar_pattern_, row, column)] += density * local(a, b);
      }
    }
  };
  if (!mesh_.cells().plain()) {
    for (int e = 0; e < mesh_.element_count(); ++e) {
      add(e, consistent_mass(mesh_.cell_rule(e), 1.0), mesh_.material(e).density());
    }
    return mass;
  }
  std::vector<Eigen::Matrix<double, 8, 8>> of_shape;  // density 1
  for (int s = 0; s < mesh_.shape_count(); ++s) {
    of_shape.push_back(consistent_mass(mesh_.shape_at(s).quadrature, 1.0));
  }
  for (int e = 0; e < mesh_.element_count(); ++e) {
    const double density = mesh_.material(e).density();
    if (mesh_.kind() == ElementKind::kTetrahedron) {
      add(e, consistent_mass(mesh_.tetrahedron(e), 1.0), density);
    } else {
      add(e, of_shape[static_cast<std::size_t>(mesh_.shape_index(e))], density);
    }
  }
  return mass;
}

SparseMatrix StvkModel::mass(MassKind kind) const {
  return expand_blocks(scalar_mass(kind), true);
}

Eigen::VectorXd StvkModel::gravity_force(const Vector3& g) const {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(dof_count());
  for (int e = 0; e < mesh_.element_count(); ++e) {
    visit_element(mesh_, e, [&](const auto& geometry, const auto&) {
      const auto& rule = rule_of(geometry);
      // The shape functions sum to 1: Int phi_a is a row sum of the mass.
      const auto mass = consistent_mass(rule, mesh_.material(e).density());
      scatter((g * mass.colwise().sum()).eval(), mesh_.element(e), force);
    });
  }
  return force;
}

}  // namespace haptic

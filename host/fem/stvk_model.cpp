#include "host/fem/stvk_model.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include "host/fem/stvk_hexahedron.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Greedy colouring: elements of one colour share no vertex.
std::vector<std::vector<int>> colour_elements(const HexahedralMesh& mesh) {
  std::vector<std::vector<int>> colours;
  std::vector<int> colour_of_vertex(static_cast<std::size_t>(mesh.vertex_count()), -1);
  std::vector<int> waiting(static_cast<std::size_t>(mesh.element_count()));
  for (int e = 0; e < mesh.element_count(); ++e) waiting[static_cast<std::size_t>(e)] = e;
  while (!waiting.empty()) {
    const int colour = static_cast<int>(colours.size());
    std::vector<int> chosen, rest;
    for (const int e : waiting) {
      const auto ids = mesh.element(e);
      const bool is_free = std::none_of(
          ids.begin(), ids.end(), [&](std::uint32_t v) { return colour_of_vertex[v] == colour; });
      if (is_free) {
        for (const std::uint32_t v : ids) colour_of_vertex[v] = colour;
      }
      (is_free ? chosen : rest).push_back(e);
    }
    colours.push_back(std::move(chosen));
    waiting = std::move(rest);
  }
  return colours;
}

SparseMatrix scalar_pattern_of(const HexahedralMesh& mesh, const std::vector<int>& free_index,
                               int free_count) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(free_count));
  for (int e = 0; e < mesh.element_count(); ++e) {
    for (const std::uint32_t v : mesh.element(e)) {
      const int column = free_index[v];
      if (column < 0) continue;
      for (const std::uint32_t w : mesh.element(e)) {
        if (free_index[w] >= 0)
          neighbours[static_cast<std::size_t>(column)].push_back(free_index[w]);
      }
    }
  }
  SparseMatrix pattern(free_count, free_count);
  Eigen::VectorXi sizes(free_count);
  for (int c = 0; c < free_count; ++c) {
    auto& list = neighbours[static_cast<std::size_t>(c)];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    sizes[c] = static_cast<int>(list.size());
  }
  pattern.reserve(sizes);
  for (int c = 0; c < free_count; ++c) {
    for (const int r : neighbours[static_cast<std::size_t>(c)]) pattern.insert(r, c) = 0.0;
  }
  pattern.makeCompressed();
  return pattern;
}

// Every entry of a scalar matrix as a 3x3 block of zeros, or as that multiple of the identity.
SparseMatrix expand_blocks(const SparseMatrix& scalar, bool diagonal_only) {
  const int per_entry = diagonal_only ? 1 : 3;
  SparseMatrix blocks(3 * scalar.rows(), 3 * scalar.cols());
  blocks.resizeNonZeros(3 * per_entry * scalar.nonZeros());
  int next = 0;
  for (int c = 0; c < scalar.cols(); ++c) {
    for (int d = 0; d < 3; ++d) {
      blocks.outerIndexPtr()[3 * c + d] = next;
      for (SparseMatrix::InnerIterator it(scalar, c); it; ++it) {
        for (int p = 0; p < per_entry; ++p, ++next) {
          blocks.innerIndexPtr()[next] = 3 * static_cast<int>(it.row()) + (diagonal_only ? d : p);
          blocks.valuePtr()[next] = diagonal_only ? it.value() : 0.0;
        }
      }
    }
  }
  blocks.outerIndexPtr()[3 * scalar.cols()] = next;
  return blocks;
}

// Place of row `row` in column `column` of a compressed matrix, counted from the column's start.
int rank_in_column(const SparseMatrix& matrix, int row, int column) {
  const int* begin = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column];
  const int* end = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - begin);
}

}  // namespace

StvkModel::StvkModel(HexahedralMesh mesh, std::span<const std::uint32_t> fixed_vertices)
    : mesh_(std::move(mesh)), fixed_vertices_(fixed_vertices.begin(), fixed_vertices.end()) {
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

template <typename Body>
void StvkModel::for_each_element_by_colour(const Body& body) const {
  for (const std::vector<int>& colour : colours_) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, colour.size(), 32),
                      [&](const auto& range) {
                        for (std::size_t i = range.begin(); i != range.end(); ++i) body(colour[i]);
                      });
  }
}

CornerVectors StvkModel::gather(const Eigen::Ref<const Eigen::VectorXd>& full, int element) const {
  CornerVectors local;
  const auto ids = mesh_.element(element);
  for (int a = 0; a < 8; ++a) local.col(a) = full.segment<3>(3 * static_cast<int>(ids[a]));
  return local;
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
  // Fixed vertices of one element edge h still hold a rotation with (h/size)^2 in this form.
  return static_cast<int>((values.array() <= 1e-9).count());
}

double StvkModel::energy(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  std::vector<double> energies(static_cast<std::size_t>(mesh_.element_count()));
  tbb::parallel_for(tbb::blocked_range<int>(0, mesh_.element_count(), 32), [&](const auto& range) {
    for (int e = range.begin(); e != range.end(); ++e) {
      energies[static_cast<std::size_t>(e)] =
          stvk_energy(mesh_.shape(e).quadrature, mesh_.material(e).lame(), gather(u, e));
    }
  });
  double sum = 0.0;
  for (const double energy : energies) sum += energy;
  return sum;
}

Eigen::VectorXd StvkModel::force(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(dof_count());
  for_each_element_by_colour([&](int e) {
    const CornerVectors local =
        stvk_force(mesh_.shape(e).quadrature, mesh_.material(e).lame(), gather(u, e));
    const auto ids = mesh_.element(e);
    for (int a = 0; a < 8; ++a) force.segment<3>(3 * static_cast<int>(ids[a])) += local.col(a);
  });
  return force;
}

SparseMatrix StvkModel::stiffness(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  SparseMatrix K = expand_blocks(scalar_pattern_, false);
  double* values = K.valuePtr();
  const int* outer = K.outerIndexPtr();
  for_each_element_by_colour([&](int e) {
    const ElementMatrix local =
        stvk_stiffness(mesh_.shape(e).quadrature, mesh_.material(e).lame(), gather(u, e));
    const auto ids = mesh_.element(e);
    for (int b = 0; b < 8; ++b) {
      const int column = free_index_[ids[b]];
      if (column < 0) continue;
      for (int a = 0; a < 8; ++a) {
        const int row = free_index_[ids[a]];
        if (row < 0) continue;
        const int offset = 3 * rank_in_column(scalar_pattern_, row, column);
        for (int d = 0; d < 3; ++d) {
          Eigen::Map<Eigen::Vector3d>(values + outer[3 * column + d] + offset) +=
              local.block<3, 1>(3 * a, 3 * b + d);
        }
      }
    }
  });
  return K;
}

SparseMatrix StvkModel::stiffness_at_rest() const {
  return stiffness(Eigen::VectorXd::Zero(dof_count()));
}

Eigen::VectorXd StvkModel::hessian_product(const Eigen::Ref<const Eigen::VectorXd>& v,
                                           const Eigen::Ref<const Eigen::VectorXd>& w) const {
  Eigen::VectorXd product = Eigen::VectorXd::Zero(dof_count());
  for_each_element_by_colour([&](int e) {
    const CornerVectors local = stvk_hessian_product(
        mesh_.shape(e).hessian_quadrature, mesh_.material(e).lame(), gather(v, e), gather(w, e));
    const auto ids = mesh_.element(e);
    for (int a = 0; a < 8; ++a) product.segment<3>(3 * static_cast<int>(ids[a])) += local.col(a);
  });
  return product;
}

Eigen::MatrixXd StvkModel::hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  const int k = static_cast<int>(x.cols());
  const int pairs = k * (k + 1) / 2;
  // Row-major so that an element writes 24 contiguous runs.
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor products = RowMajor::Zero(dof_count(), pairs);
  for_each_element_by_colour([&](int e) {
    const HexahedronQuadrature& quadrature = mesh_.shape(e).hessian_quadrature;
    const LameParameters lame = mesh_.material(e).lame();
    const auto stress_of = [&lame](const Matrix3& X) {
      Matrix3 stress = lame.mu * (X + X.transpose());
      stress.diagonal().array() += lame.lambda * X.trace();
      return stress;
    };
    std::vector<Matrix3> gradients(static_cast<std::size_t>(k)), stresses(gradients);
    Eigen::Matrix<double, 9, Eigen::Dynamic> piola(9, pairs);
    RowMajor local = RowMajor::Zero(24, pairs);
    std::vector<CornerVectors> columns;
    columns.reserve(static_cast<std::size_t>(k));
    for (int i = 0; i < k; ++i) columns.push_back(gather(x.col(i), e));
    for (int g = 0; g < quadrature.size(); ++g) {
      const CornerVectors& shape_gradient = quadrature.gradient[g];
      for (std::size_t i = 0; i < columns.size(); ++i) {
        gradients[i].noalias() = columns[i] * shape_gradient.transpose();
        stresses[i] = stress_of(gradients[i]);
      }
      int pair = 0;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t j = i; j < columns.size(); ++j, ++pair) {
          const Matrix3 first = gradients[i] * stresses[j];
          const Matrix3 second = gradients[j] * stresses[i];
          Matrix3 stress = (first + second) + stress_of(gradients[i].transpose() * gradients[j]);
          piola.col(pair) =
              quadrature.weight[g] * Eigen::Map<Eigen::Matrix<double, 9, 1>>(stress.data());
        }
      }
      for (int a = 0; a < 8; ++a) {
        for (int d = 0; d < 3; ++d) {
          local.row(3 * a + d) += shape_gradient(0, a) * piola.row(d) +
                                  shape_gradient(1, a) * piola.row(3 + d) +
                                  shape_gradient(2, a) * piola.row(6 + d);
        }
      }
    }
    const auto ids = mesh_.element(e);
    for (int a = 0; a < 8; ++a) {
      products.middleRows<3>(3 * static_cast<int>(ids[a])) += local.middleRows<3>(3 * a);
    }
  });
  return products;
}

SparseMatrix StvkModel::scalar_mass(MassKind kind) const {
  SparseMatrix mass = scalar_pattern_;
  if (kind == MassKind::kLumped) {
    mass.resize(free_vertex_count(), free_vertex_count());
    mass.setIdentity();
    mass.coeffs().setZero();
  }
  std::vector<Eigen::Matrix<double, 8, 8>> unit;  // per shape, density 1
  std::vector<bool> known(static_cast<std::size_t>(mesh_.shape_count()), false);
  unit.resize(known.size());
  for (int e = 0; e < mesh_.element_count(); ++e) {
    const auto shape = static_cast<std::size_t>(mesh_.shape_index(e));
    if (!known[shape]) {
      unit[shape] = consistent_mass(mesh_.shape(e).quadrature, 1.0);
      known[shape] = true;
    }
    const double density = mesh_.material(e).density;
    const auto ids = mesh_.element(e);
    for (int b = 0; b < 8; ++b) {
      const int column = free_index_[ids[b]];
      if (column < 0) continue;
      if (kind == MassKind::kLumped) {
        mass.valuePtr()[column] += density * unit[shape].col(b).sum();
        continue;
      }
      for (int a = 0; a < 8; ++a) {
        const int row = free_index_[ids[a]];
        if (row < 0) continue;
        mass.valuePtr()[mass.outerIndexPtr()[column] +
                        rank_in_column(scalar_pattern_, row, column)] +=
            density * unit[shape](a, b);
      }
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
    const HexahedronQuadrature& quadrature = mesh_.shape(e).quadrature;
    Eigen::Matrix<double, 8, 1> volume = Eigen::Matrix<double, 8, 1>::Zero();
    for (int q = 0; q < quadrature.size(); ++q)
      volume += quadrature.weight[q] * quadrature.value[q];
    const auto ids = mesh_.element(e);
    for (int a = 0; a < 8; ++a) {
      force.segment<3>(3 * static_cast<int>(ids[a])) += mesh_.material(e).density * volume[a] * g;
    }
  }
  return force;
}

}  // namespace haptic

#include "host/monitor/subspace_residual.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "host/artifact/model_writer.h"
#include "host/monitor/subspace_monitor.h"
#include "host/reduction/linear_modes.h"
#include "host/reduction/modal_derivatives.h"
#include "host/reduction/reduced_statics.h"
#include "lab/samples/random_energy.h"
#include "rt/dynamics/material_blend.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/host/reduction/modal_derivative_basis.h"
#include "tests/host/reduction/reduced_body.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

constexpr Material kSoft{1e6, 0.3, 1000.0};

/// A model file of a body and a basis, removed at the end.
class WrittenModel {
 public:
  WrittenModel(const StvkModel& body, const Eigen::MatrixXd& basis)
      : path_(std::filesystem::path(::testing::TempDir()) /
              ("subspace" + std::to_string(getpid()) + ".h5")) {
    const SolidMesh& mesh = body.mesh();
    const BasisRows rows(basis);
    const ReducedPolynomials p = polynomials_of(mesh, basis);
    const auto n = static_cast<std::uint64_t>(mesh.vertex_count());
    const auto m = static_cast<std::uint64_t>(mesh.element_count());
    const auto groups = static_cast<std::uint64_t>(mesh.group_count());
    const std::uint64_t r = p.dimension;
    ModelWriter writer(path_);
    writer.add("/mesh/vertices", mesh.vertices(), {n, 3});
    writer.add("/mesh/elements", mesh.elements(), {m, 8});
    writer.add("/mesh/fixed", body.fixed_vertices(), {body.fixed_vertices().size()});
    writer.add("/reduced/basis", rows.view().values, {3 * n, r});
    writer.add("/reduced/quadratic", p.quadratic, {p.quadratic.size()});
    writer.add("/reduced/cubic", p.cubic, {p.cubic.size()});
    writer.add("/reduced/quartic", p.quartic, {p.quartic.size()});
    writer.add("/reduced/damping", std::vector<double>{0.0, 0.0}, {2});
    add_groups(writer, mesh, rows, groups);
    writer.commit();
  }
  ~WrittenModel() { std::filesystem::remove(path_); }
  WrittenModel(const WrittenModel&) = delete;
  WrittenModel& operator=(const WrittenModel&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static void add_groups(ModelWriter& writer, const SolidMesh& mesh, const BasisRows& rows,
                         std::uint64_t groups) {
    std::vector<double> lame, density, quadratic, cubic, quartic;
    for (const SolidMaterial& material : mesh.groups().materials) {
      lame.insert(lame.end(), {material.lame().lambda, material.lame().mu});
      density.push_back(material.density());
    }
    for (const ReducedPolynomials& row : group_polynomials(mesh, rows.view())) {
      quadratic.insert(quadratic.end(), row.quadratic.begin(), row.quadratic.end());
      cubic.insert(cubic.end(), row.cubic.begin(), row.cubic.end());
      quartic.insert(quartic.end(), row.quartic.begin(), row.quartic.end());
    }
    const std::vector<double> mass = group_mass(mesh, rows.view());
    writer.add("/material/lame", lame, {groups, 2});
    writer.add("/material/density", density, {groups});
    if (groups > 1) {
      writer.add("/material/group", mesh.groups().of_element, {mesh.groups().of_element.size()});
    }
    writer.add("/reduced/groups/quadratic", quadratic, {2 * groups, quadratic.size() / 2 / groups});
    writer.add("/reduced/groups/cubic", cubic, {2 * groups, cubic.size() / 2 / groups});
    writer.add("/reduced/groups/quartic", quartic, {2 * groups, quartic.size() / 2 / groups});
    writer.add("/reduced/groups/mass", mass, {groups, mass.size() / groups});
  }

  std::filesystem::path path_;
};

// With as many columns as free dofs nothing is outside, however large the deformation.
TEST(SubspaceResidual, is_zero_where_the_basis_is_complete) {
  const StvkModel body = clamped_beam(2, 1, 1, 0.1, kSoft);
  const int r = body.free_dof_count();
  const Eigen::MatrixXd basis =
      body.expand(mass_gram_schmidt(body.scalar_mass(), Eigen::MatrixXd::Identity(r, r)));
  const WrittenModel file(body, basis);
  const ModelFile model(file.path());
  SubspaceResidual residual(model, static_cast<std::uint32_t>(r));
  EXPECT_EQ(residual.sample_count(), 8);
  for (double size : {1e-4, 0.01, 0.1}) {
    const Eigen::VectorXd q = random_state(static_cast<std::uint32_t>(r), 3, size);
    EXPECT_LE(residual.at(view(q)), 1e-11) << size;  // condition of the mass times rounding
  }
  EXPECT_EQ(residual.at(std::vector<double>(static_cast<std::size_t>(r), 0.0)), 0.0);
}

TEST(SubspaceResidual, equals_the_formula_over_the_whole_body) {
  const StvkModel body = clamped_beam(3, 2, 2, 0.05, kSoft);  // 27 free vertices: all are samples
  const Eigen::MatrixXd basis = any_basis(body, 5);
  const WrittenModel file(body, basis);
  const ModelFile model(file.path());
  SubspaceResidual residual(model, 5);
  const Eigen::VectorXd q = random_state(5, 2, 0.01);
  const Eigen::VectorXd R =
      body.restrict_to_free(body.force(basis * q));  // also a matrix of one column
  const SparseMatrix M = body.mass();
  const Eigen::MatrixXd U = body.restrict_to_free(basis);
  const Eigen::VectorXd outside = R - M * (U * (U.transpose() * R));
  // m_v over all elements and all vertices, the fixed ones too: what StvkModel calls lumped.
  const StvkModel all(body.mesh(), {});
  const SparseMatrix lumped = all.mass(MassKind::kLumped);
  double above = 0.0, below = 0.0;
  for (int f = 0; f < body.free_vertex_count(); ++f) {
    const auto v = static_cast<int>(body.free_vertices()[static_cast<std::size_t>(f)]);
    const double m = lumped.coeff(3 * v, 3 * v);
    above += outside.segment<3>(3 * f).squaredNorm() / m;
    below += R.segment<3>(3 * f).squaredNorm() / m;
  }
  EXPECT_NEAR(residual.at(view(q)), std::sqrt(above / below), 1e-10);
}

// Under a load of the subspace, f = M U p, the response of the full body has R = f inside: the
// indicator grows with the deformation and with the part outside the basis.
TEST(SubspaceResidual, grows_with_deformation_and_with_a_poor_basis) {
  const StvkModel body = clamped_beam(10, 2, 3, 0.05, kSoft);
  const SparseFactorization rest = factor_rest_stiffness(body);
  const LinearModes modes = linear_modes(body, rest, 4);
  const Eigen::MatrixXd rich =
      modal_derivative_basis(body, modes, modal_derivatives(body, rest, modes), 12).basis;
  const auto residuals = [&](const Eigen::MatrixXd& basis) {
    const WrittenModel file(body, basis);
    const ModelFile model(file.path());
    const auto r = static_cast<std::uint32_t>(basis.cols());
    SubspaceResidual residual(model, r);
    const ReducedEnergy energy(model);
    std::vector<double> result;
    for (double deflection : {0.001, 0.01, 0.05}) {
      // The load that bends the linear body so far in its first mode.
      const Eigen::VectorXd shape = modes.shapes.col(0);
      const double amplitude = deflection * 0.5 / shape.cwiseAbs().maxCoeff();
      const Eigen::VectorXd f =
          modes.eigenvalues(0) * amplitude *
          (body.restrict_to_free(basis).transpose() * (body.mass() * body.restrict_to_free(shape)));
      result.push_back(residual.at(solve_reduced_statics(energy, view(f)).q));
    }
    return result;
  };
  const std::vector<double> poor = residuals(modes.shapes), good = residuals(rich);
  EXPECT_LT(poor[0], poor[1]);
  EXPECT_LT(poor[1], poor[2]);
  EXPECT_GT(poor[2], 0.9);  // the modes cannot bend without stretching: nearly all of R is that
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(good[i], 0.5 * poor[i]) << i;
}

TEST(SubspaceResidual, is_zero_for_displacements_below_the_threshold_of_rest) {
  const StvkModel body = clamped_beam(4, 1, 1, 0.05, kSoft);
  const LinearModes modes = linear_modes(body, factor_rest_stiffness(body), 3);
  const WrittenModel file(body, modes.shapes);
  const ModelFile model(file.path());
  SubspaceResidual residual(model, 3);
  const double largest = modes.shapes.cwiseAbs().maxCoeff();
  for (const double displacement : {0.0, 1e-300, 1e-12}) {  // m, of a body of 0.2 m
    EXPECT_EQ(residual.at(std::vector<double>(3, displacement / largest)), 0.0) << displacement;
  }
  EXPECT_GT(residual.at(std::vector<double>(3, 1e-3 / largest)), 0.0);
}

/// Beam whose tip half is another material.
StvkModel beam_of_two_groups(const SolidMaterial& base, const SolidMaterial& tip) {
  const SolidMesh plain = make_box_mesh(6, 2, 2, 0.05, kSoft);
  std::vector<std::uint32_t> group;
  for (int e = 0; e < plain.element_count(); ++e) group.push_back(e % 6 < 3 ? 0 : 1);
  SolidMesh mesh(ElementKind::kHexahedron, plain.vertices(), plain.elements(),
                 MaterialGroups{{base, tip}, group});
  const auto fixed = clamped_face(mesh);
  return {std::move(mesh), fixed};
}

// Recombined groups equal a precompute at the new values: energy, mass and indicator.
TEST(MaterialGroups, recombined_groups_equal_a_fresh_precompute) {
  const SolidMaterial base(LameParameters{4e5, 3e5}, 1000.0), tip(LameParameters{1e6, 2e5}, 700.0);
  const SolidMaterial new_base(LameParameters{4e5, 9e5}, 1000.0),
      new_tip(LameParameters{2e5, 2e5}, 1400.0);
  const StvkModel body = beam_of_two_groups(base, tip),
                  fresh = beam_of_two_groups(new_base, new_tip);
  const Eigen::MatrixXd basis = any_basis(body, 7);
  const WrittenModel file(body, basis);
  const ModelFile model(file.path());
  const ReducedEnergy baked(model);
  MaterialBlend blend({.energy = &baked}, MaterialRows::of_model(model, 7), 1e-3, 0.0);
  const auto set = [&](MaterialBlend::Kind kind, std::uint32_t group, double value) {
    for (std::size_t i = 0; i < blend.parameters().size(); ++i) {
      const MaterialBlend::Parameter& p = blend.parameters()[i];
      if (p.kind != kind || p.group != group) continue;
      EXPECT_TRUE(blend.set(i, value));
    }
  };
  set(MaterialBlend::Kind::kMu, 0, 9e5);
  set(MaterialBlend::Kind::kLambda, 1, 2e5);
  set(MaterialBlend::Kind::kGroupDensity, 1, 1400.0);
  while (blend.advance()) {
  }
  const ReducedEnergy expected = energy_of(polynomials_of(fresh.mesh(), basis));
  for (std::uint32_t seed : {1u, 2u, 3u}) {
    const Eigen::VectorXd q = random_state(7, seed, 0.05);
    const Response a(*blend.system().energy, q), b(expected, q);
    EXPECT_LE((a.force - b.force).norm(), 1e-12 * b.force.norm());
    EXPECT_LE((a.stiffness - b.stiffness).norm(), 1e-12 * b.stiffness.norm());
  }
  const Eigen::MatrixXd U = fresh.restrict_to_free(basis);
  const Eigen::MatrixXd mass = U.transpose() * (fresh.mass() * U);
  const Eigen::Map<const Eigen::MatrixXd> blended(blend.system().mass.data(), 7, 7);
  EXPECT_LE((blended - mass).norm(), 1e-12 * mass.norm());

  // The indicator of the file with the present materials equals that of a new body.
  const std::vector<MaterialRows::Group> now = {{"0", 4e5, 9e5, 1000.0}, {"1", 2e5, 2e5, 1400.0}};
  SubspaceResidual residual(model, 7, now), as_baked(model, 7);
  const Eigen::VectorXd q = random_state(7, 5, 0.05);
  const Eigen::VectorXd R = fresh.restrict_to_free(fresh.force(basis * q));
  const Eigen::VectorXd outside = R - fresh.mass() * (U * mass.llt().solve(U.transpose() * R));
  const SparseMatrix lumped = StvkModel(fresh.mesh(), {}).mass(MassKind::kLumped);
  double above = 0.0, below = 0.0;
  for (int f = 0; f < fresh.free_vertex_count(); ++f) {
    const auto v = static_cast<int>(fresh.free_vertices()[static_cast<std::size_t>(f)]);
    above += outside.segment<3>(3 * f).squaredNorm() / lumped.coeff(3 * v, 3 * v);
    below += R.segment<3>(3 * f).squaredNorm() / lumped.coeff(3 * v, 3 * v);
  }
  EXPECT_NEAR(residual.at(view(q)), std::sqrt(above / below), 1e-10);
  EXPECT_NE(residual.at(view(q)), as_baked.at(view(q)));
}

/// The telemetry of a daemon that runs a model, with the number of basis vectors as a parameter.
class MonitoredBody {
 public:
  MonitoredBody(const ModelFile& model, std::span<const double> q)
      : writer_(name_, description(model, q.size())) {
    SampleRecord sample{};
    writer_.publish(sample, q);
  }
  void set_dimension(double value) { writer_.publish_parameter(0, value); }
  TelemetryReader reader() const { return TelemetryReader(name_); }

 private:
  static TelemetryDescription description(const ModelFile& model, std::size_t r) {
    TelemetryDescription d;
    d.device = "simulated";
    d.parameters = {make_parameter_record("beam.dimension", 1.0, static_cast<double>(r),
                                          static_cast<double>(r))};
    d.bodies = {make_body_record("beam", model.path().string(), model.content_hash(), 0,
                                 static_cast<std::uint32_t>(r), false)};
    d.state = StateLayout({{.name = std::string(StateLayout::kBodyCoordinates),
                            .unit = "m kg^1/2",
                            .shape = {static_cast<std::uint32_t>(r)},
                            .display = StateDisplay::kReducedCoordinates}});
    return d;
  }

  std::string name_ = test_name("subspace");
  TelemetryWriter writer_;
};

// The force that fewer vectors cannot represent is larger: the indicator of the vectors in use, not
// that of all.
TEST(SubspaceMonitor, counts_the_basis_vectors_in_use) {
  constexpr std::uint32_t kAll = 6, kUsed = 2;
  const StvkModel body = clamped_beam(10, 2, 3, 0.05, kSoft);
  const SparseFactorization rest = factor_rest_stiffness(body);
  const LinearModes modes = linear_modes(body, rest, 3);
  const WrittenModel file(
      body, modal_derivative_basis(body, modes, modal_derivatives(body, rest, modes), kAll).basis);
  const ModelFile model(file.path());
  std::vector<double> q(kAll, 0.0);
  q[0] = 0.02;
  q[1] = -0.01;
  MonitoredBody daemon(model, q);
  const TelemetryReader telemetry = daemon.reader();
  SubspaceMonitor monitor(telemetry);
  TelemetrySample newest;
  ASSERT_TRUE(telemetry.newest(newest));
  const auto shown = [&] {
    const auto errors = monitor.read(telemetry.parameters(), newest);
    EXPECT_EQ(errors.size(), 1u);
    EXPECT_TRUE(errors[0].known) << errors[0].why_not;
    return errors[0].ratio;
  };
  const double all = SubspaceResidual(model, kAll).at(q);
  const double used = SubspaceResidual(model, kUsed).at(std::span(q).first(kUsed));
  ASSERT_GT(used, all + 1e-3);
  EXPECT_EQ(shown(), all);  // the same computation
  daemon.set_dimension(kUsed);
  EXPECT_EQ(shown(), used);
  daemon.set_dimension(kAll);
  EXPECT_EQ(shown(), all);
}

}  // namespace
}  // namespace haptic

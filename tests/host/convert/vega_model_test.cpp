#include "host/convert/vega_model.h"

#include <Eigen/Core>
#include <cmath>

#include "host/fem/stvk_model.h"
#include "host/formats/basis_file.h"
#include "host/formats/cubic_file.h"
#include "host/formats/interpolation_file.h"
#include "host/formats/vega_mesh.h"
#include "host/formats/vertex_list.h"
#include "host/reduction/linear_modes.h"
#include "host/reduction/reduced_polynomials.h"
#include "host/unreduced/baked_body.h"
#include "rt/dynamics/reduced_energy.h"
#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A bar of two materials, one of them orthotropic, fixed at one end, with five linear modes, as
/// VegaFEM's files.
class VegaModel : public VegaTestFolder {
 protected:
  void make_files(ElementKind kind, double basis_scale = 1.0) {
    const Material plain{1e5, 0.4, 1000.0};
    const SolidMesh box = kind == ElementKind::kHexahedron
                              ? make_box_mesh(6, 2, 3, 0.02, plain)
                              : make_tetrahedral_box_mesh(6, 2, 3, 0.02, plain);
    mesh_.vertices.assign(box.vertices().begin(), box.vertices().end());
    mesh_.elements.assign(box.elements().begin(), box.elements().end());
    mesh_.corners_per_element = box.corners_per_element();
    VegaMaterial soft, wood;
    soft.name = "soft";
    soft.youngs_modulus = 1e5;
    soft.poisson_ratio = 0.4;
    wood.name = "wood";
    wood.density = 700.0;
    wood.orthotropy = Orthotropy{4e5, 2e5, 1e5, 0.3, 0.2, 0.1, 5e4, 6e4, 7e4, {}};
    wood.orthotropy->axes.setIdentity();
    mesh_.materials = {soft, wood};
    for (std::size_t e = 0; e < mesh_.element_count(); ++e) {
      mesh_.element_material.push_back(e % 3 == 0);
    }
    for (std::uint32_t v = 0; v < mesh_.vertex_count(); ++v) {
      if (mesh_.vertices[3 * v] == 0.0) fixed_.push_back(v);
    }
    const MaterialGroups groups{
        {SolidMaterial(Material{1e5, 0.4, 1000.0}),
         SolidMaterial(ElasticityMatrix(wood.orthotropy->elasticity()), 700.0)},
        mesh_.element_material};
    const StvkModel model(SolidMesh(kind, mesh_.vertices, mesh_.elements, groups), fixed_);
    basis_ = basis_scale * linear_modes(model, factor_rest_stiffness(model), 5).shapes;
    energy_ = reduced_polynomials(model.mesh(),
                                  {{basis_.data(), static_cast<std::size_t>(basis_.size())}, 5});
    files_ = {
        folder_ / "bar.veg", folder_ / "bar.bou", folder_ / "bar.U", folder_ / "bar.cub", {}, {}};
    write_veg(files_.mesh, mesh_);
    write_bou(files_.fixed, fixed_);
    write_basis(files_.basis, static_cast<std::size_t>(basis_.rows()), 5,
                {basis_.data(), static_cast<std::size_t>(basis_.size())});
    write_cub(files_.polynomial, energy_);
  }

  VegaMesh mesh_;
  std::vector<std::uint32_t> fixed_;
  RowMajor basis_;
  ReducedPolynomials energy_;
  VegaModelFiles files_;
};

TEST_F(VegaModel, files_become_a_model_and_the_model_the_same_files) {
  for (const ElementKind kind : {ElementKind::kHexahedron, ElementKind::kTetrahedron}) {
    mesh_ = {};
    fixed_.clear();
    make_files(kind);
    const auto output = folder_ / "bar.h5";
    const ConversionNotes notes = import_vega(files_, output);
    ASSERT_GE(notes.size(), 3u);
    EXPECT_NE(notes[1].find("is mass-orthonormal"), std::string::npos) << notes[1];
    EXPECT_NE(notes[2].find("agrees with mesh, material and basis"), std::string::npos);

    const ModelFile model(output);
    EXPECT_EQ(model.reduced_dimension(), 5u);
    // The force of the model file is the projected force of the unreduced body of that file.
    const StvkModel body = read_baked_body(model);
    const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(5, -1e-3, 2e-3);
    const Eigen::VectorXd full = basis_.transpose() * body.force(basis_ * q);
    const ReducedEnergy reduced(model);
    ReducedEnergy::Workspace workspace(5);
    std::vector<double> force(5), stiffness(25);
    reduced.force_and_stiffness({q.data(), 5}, force, stiffness, workspace);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(force[static_cast<std::size_t>(i)], full[i], 1e-10 * full.norm());
    }

    export_vega(model, folder_ / "out", "again");
    const auto again = [&](const char* ending) {
      return folder_ / "out" / (std::string("again") + ending);
    };
    EXPECT_EQ(bytes_of(again(".bou")), bytes_of(files_.fixed));
    EXPECT_EQ(bytes_of(again(".U")), bytes_of(files_.basis));
    const VegaMesh mesh = read_veg(again(".veg"));
    EXPECT_EQ(mesh.vertices, mesh_.vertices);
    EXPECT_EQ(mesh.elements, mesh_.elements);
    EXPECT_EQ(mesh.element_material, mesh_.element_material);
    EXPECT_NEAR(mesh.materials[0].youngs_modulus, 1e5, 1e-9);  // through lambda and mu
    EXPECT_LE(
        (mesh.materials[1].orthotropy->elasticity() - mesh_.materials[1].orthotropy->elasticity())
            .norm(),
        1e-9 * 4e5);
    const ReducedPolynomials read = read_cub(again(".cub")).energy;
    double worst = 0.0, scale = 0.0;
    for (std::size_t i = 0; i < read.quartic.size(); ++i) {
      worst = std::max(worst, std::abs(read.quartic[i] - energy_.quartic[i]));
      scale = std::max(scale, std::abs(energy_.quartic[i]));
    }
    EXPECT_LE(worst, 1e-14 * scale);

    // The exported weights and surface give the surface basis of the model.
    VegaModelFiles second = files_;
    second.surface = again(".obj");
    second.interpolation = again(".interp");
    import_vega(second, folder_ / "second.h5");
    const ModelFile other(folder_ / "second.h5");
    const auto a = model.floats("/surface/basis"), b = other.floats("/surface/basis");
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      // Same weights; nine digits of the .obj do not enter.
      EXPECT_NEAR(a[i], b[i], 1e-6 * static_cast<double>(basis_.cwiseAbs().maxCoeff()));
    }
  }
}

TEST_F(VegaModel, weights_spread_a_force_without_losing_force_or_torque) {
  make_files(ElementKind::kHexahedron);
  import_vega(files_, folder_ / "bar.h5");
  export_vega(ModelFile(folder_ / "bar.h5"), folder_ / "out", "bar");
  const ModelFile model(folder_ / "bar.h5");
  const Interpolation w = read_interpolation(folder_ / "out" / "bar.interp", mesh_.vertex_count());
  const auto surface = model.doubles("/surface/vertices");
  const auto surface_basis = model.floats("/surface/basis");
  for (std::size_t p = 0; p < w.point_count(); p += 7) {
    const Vector3 f(0.3, -0.7, 0.2), X(&surface[3 * p]);
    Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
    Eigen::VectorXd projected = Eigen::VectorXd::Zero(5), direct = projected;
    for (std::size_t c = 0; c < w.corners; ++c) {
      const std::uint32_t v = w.vertices[p * w.corners + c];
      const Vector3 part = w.weights[p * w.corners + c] * f;
      force += part;
      torque += Vector3(&mesh_.vertices[3 * v]).cross(part);
      projected += basis_.middleRows(3 * v, 3).transpose() * part;
    }
    for (int axis = 0; axis < 3; ++axis) {
      for (int j = 0; j < 5; ++j) {
        direct[j] +=
            static_cast<double>(surface_basis[(3 * p + static_cast<std::size_t>(axis)) * 5 +
                                              static_cast<std::size_t>(j)]) *
            f[axis];
      }
    }
    EXPECT_LE((force - f).norm(), 1e-12);
    EXPECT_LE((torque - X.cross(f)).norm(), 1e-12);
    // The surface's basis is stored as float.
    EXPECT_LE((projected - direct).norm(), 1e-6 * basis_.cwiseAbs().maxCoeff());
  }
}

TEST_F(VegaModel, a_basis_that_is_not_mass_orthonormal_is_made_so) {
  make_files(ElementKind::kHexahedron, 2.5);
  const ConversionNotes notes = import_vega(files_, folder_ / "bar.h5");
  EXPECT_NE(notes[1].find("not mass-orthonormal"), std::string::npos);
  const ModelFile model(folder_ / "bar.h5");
  const auto values = model.doubles("/reduced/basis");
  const Eigen::Map<const RowMajor> U(values.data(), basis_.rows(), 5);
  EXPECT_LE((2.5 * U - basis_).cwiseAbs().maxCoeff(), 1e-9 * basis_.cwiseAbs().maxCoeff());
}

TEST_F(VegaModel, files_of_different_models_are_refused) {
  make_files(ElementKind::kHexahedron);
  const auto message = [&] { return refusal([&] { import_vega(files_, folder_ / "bar.h5"); }); };
  const VegaModelFiles good = files_;

  ReducedPolynomials other = energy_;
  for (double& value : other.cubic) value *= 1.01;
  write_cub(folder_ / "other.cub", other);
  files_.polynomial = folder_ / "other.cub";
  EXPECT_NE(message().find("the polynomial differs"), std::string::npos) << message();
  files_ = good;

  write_bou(folder_ / "other.bou", std::vector<std::uint32_t>{3, 4, 5});
  files_.fixed = folder_ / "other.bou";
  EXPECT_NE(message().find("moves a fixed vertex"), std::string::npos) << message();
  files_ = good;

  write_basis(folder_ / "short.U", 9, 2, std::vector<double>(18, 1.0));
  files_.basis = folder_ / "short.U";
  EXPECT_NE(message().find("found 9 rows"), std::string::npos) << message();
  files_ = good;

  RowMajor twice(basis_.rows(), 2);
  twice << basis_.col(0), basis_.col(0);
  write_basis(folder_ / "twice.U", static_cast<std::size_t>(twice.rows()), 2,
              {twice.data(), static_cast<std::size_t>(twice.size())});
  files_.basis = folder_ / "twice.U";
  EXPECT_NE(message().find("linearly dependent"), std::string::npos) << message();
  files_ = good;

  files_.basis.clear();
  EXPECT_NE(message().find("--basis"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bar.h5"));  // no incomplete files
}

}  // namespace
}  // namespace haptic

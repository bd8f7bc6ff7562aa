#include "host/reduction/rest_stiffness.h"

#include <gtest/gtest.h>

#include "host/reduction/linear_modes.h"
#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_derivatives.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

/// Both modes and derivatives of a beam of no symmetry about its axis.
struct Basis {
  explicit Basis(const StvkModel& model, int max_factored) {
    const auto rest = rest_stiffness(model, 0.0, max_factored);
    exact = rest->is_exact();
    modes = linear_modes(model, *rest, 6);
    derivatives = modal_derivatives(model, *rest, modes);
  }
  bool exact = false;
  LinearModes modes;
  ModalDerivatives derivatives;
};

TEST(RestStiffness, multigrid_and_a_factor_give_the_same_basis) {
  const StvkModel model = held_beam(24, 3, 4);
  const Basis factored(model, 1'000'000), iterated(model, 0);
  EXPECT_TRUE(factored.exact);
  EXPECT_FALSE(iterated.exact);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(iterated.modes.eigenvalues[i], factored.modes.eigenvalues[i],
                1e-10 * factored.modes.eigenvalues[i]);
    // Errors of a vector: 1e-9 over the gaps to other modes, some tenths of its eigenvalue.
    EXPECT_LE((iterated.modes.shapes.col(i) - factored.modes.shapes.col(i)).norm(),
              1e-7 * factored.modes.shapes.col(i).norm());
  }
  const double largest = factored.derivatives.norms.maxCoeff();
  for (Eigen::Index p = 0; p < factored.derivatives.norms.size(); ++p) {
    EXPECT_NEAR(iterated.derivatives.norms[p], factored.derivatives.norms[p], 1e-7 * largest);
  }
}

TEST(RestStiffness, a_free_body_by_multigrid_has_the_same_modes) {
  const StvkModel model(make_box_mesh(12, 3, 5, 0.05, kBeamMaterial), {});
  const LinearModes factored = free_linear_modes(model, 12),
                    iterated = free_linear_modes(model, 12, {}, 0);
  EXPECT_LE((iterated.eigenvalues - factored.eigenvalues).norm(),
            1e-9 * factored.eigenvalues.norm());
  EXPECT_LE((iterated.shapes - factored.shapes).norm(), 1e-6 * factored.shapes.norm());
}

TEST(RestStiffness, tetrahedra_are_factored) {
  const SolidMesh mesh = make_tetrahedral_box_mesh(3, 2, 2, 0.1, kBeamMaterial);
  const StvkModel model(mesh, std::vector<std::uint32_t>{0, 4, 8, 12});
  EXPECT_TRUE(rest_stiffness(model, 0.0, 0)->is_exact());
}

TEST(RestStiffness, refuses_bodies_that_can_move) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kBeamMaterial);
  for (const int max_factored : {0, kMaxFactoredDofs}) {
    EXPECT_THROW(rest_stiffness(StvkModel(mesh, {}), 0.0, max_factored), InputError);
    EXPECT_THROW(
        rest_stiffness(StvkModel(mesh, std::vector<std::uint32_t>{0, 1}), 0.0, max_factored),
        InputError);
    EXPECT_NO_THROW(rest_stiffness(StvkModel(mesh, {}), -1.0, max_factored));
  }
}

}  // namespace
}  // namespace haptic

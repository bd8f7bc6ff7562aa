#include "host/multigrid/cell_stiffness.h"

#include <gtest/gtest.h>

#include "tests/host/multigrid/cut_bar.h"

namespace haptic {
namespace {

void expect_as_assembled(const StvkModel& model, double shift, const std::string& what) {
  const auto cells = grid_cells_of(model.mesh());
  ASSERT_TRUE(cells.has_value()) << what;
  const SparseMatrix found = sparse_matrix(shifted_stiffness(model, *cells, shift));
  const SparseMatrix expected = model.stiffness_at_rest() - shift * model.mass();
  EXPECT_LE((found - expected).norm(), 1e-14 * expected.norm()) << what;
}

TEST(ShiftedStiffness, is_that_of_the_model) {
  for (const MassKind mass : {MassKind::kConsistent, MassKind::kLumped}) {
    for (const bool held : {true, false}) {
      // A shift whose part is neither negligible nor all.
      expect_as_assembled(cut_bar(5, 3, 2, 0.4, held, {.mass = mass}), -1e5, "cut bar");
      expect_as_assembled(cut_bar(5, 3, 2, 0.4, held, {.mass = mass}), 0.0, "cut bar at rest");
    }
  }
  int grids = 0;
  for (const Body& body : bodies()) {
    if (!grid_cells_of(body.mesh)) continue;
    ++grids;
    expect_as_assembled(StvkModel(body.mesh, vertices_at_x0(body.mesh)), -1e3, body.name);
  }
  EXPECT_EQ(grids, 3);  // cubes, in groups, anisotropic
}

}  // namespace
}  // namespace haptic

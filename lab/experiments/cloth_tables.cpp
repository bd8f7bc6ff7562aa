// Tables 9.1 to 9.4 of Vanacken 2005 again: collision structures of a cloth that hangs from two
// corners, each figure beside that of the text (AMD, 1.2 GHz).
#include "lab/experiments/cloth_tables.h"

#include "shared/error.h"

namespace haptic {

FallingCloth::FallingCloth(std::uint32_t side)
    : cloth_(cloth::square_cloth(side, 1.0 / (side - 1), cloth::cloth_materials(200.0, 0.01))),
      verlet_(cloth_.system, 0.01 / side) {
  for (const std::uint32_t corner : {0u, side - 1}) {
    cloth_.system.constraints().pin(corner, cloth::at(cloth_.state.x, corner));
  }
}

void FallingCloth::step() {
  if (verlet_.step(cloth_.state) != cloth::ClothStepResult::kOk) {
    throw OperationError("the falling cloth diverged");
  }
}

}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "cloth_tables",
                                "Tables 9.1 to 9.4 of Vanacken 2005: cost of the collision "
                                "structures of a cloth, and of a touch with each",
                                [](haptic::Experiment& experiment) {
                                  haptic::report_updates(experiment);
                                  haptic::report_queries(experiment);
                                });
}

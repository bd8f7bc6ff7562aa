#include "rt/dynamics/reduced_energy.h"
#include "shared/artifact/model_file.h"

namespace haptic {

ReducedEnergy::ReducedEnergy(const ModelFile& model, CoefficientStorage storage)
    : ReducedEnergy(model.reduced_dimension(), model.doubles("/reduced/quadratic"),
                    model.doubles("/reduced/cubic"), model.doubles("/reduced/quartic"), storage) {}

}  // namespace haptic

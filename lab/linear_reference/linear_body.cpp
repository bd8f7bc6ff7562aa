#include "lab/linear_reference/linear_body.h"

#include <utility>

#include "host/reduction/linear_modes.h"
#include "host/unreduced/baked_body.h"
#include "shared/assert.h"

namespace haptic::lab {

LinearBody::LinearBody(StvkModel body, RayleighDamping rayleigh)
    : model(std::move(body)),
      K(model.stiffness_at_rest()),
      mass(model.mass().diagonal()),
      damping(rayleigh),
      factor(factor_rest_stiffness(model)) {
  HAPTIC_DEMAND(model.mass_kind() == MassKind::kLumped);
}

LinearBody read_linear_body(const ModelFile& model) {
  const auto damping = model.doubles("/condensed/damping");
  return LinearBody(read_baked_body(model, ElasticModel::kStvk, MassKind::kLumped),
                    {damping[0], damping[1]});
}

}  // namespace haptic::lab

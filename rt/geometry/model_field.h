#pragma once

#include <cstdint>
#include <memory>

#include "rt/geometry/signed_field.h"

namespace haptic {

class ModelFile;

/// Creates the field of a model from the sections present: dense or sparse; deforming in the first
/// `kept` reduced coordinates if kept > 0 and there are proxies. The file outlives the field.
/// @returns nullptr for a model without a field
/// @throws InputError if a section is invalid
std::unique_ptr<SignedField> make_field(const ModelFile& model, std::uint32_t kept);

}  // namespace haptic

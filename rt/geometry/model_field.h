#pragma once

#include <cstdint>
#include <memory>

#include "rt/geometry/signed_field.h"

namespace haptic {

class ModelFile;

/// The field of a model by the sections it has: dense or sparse; deforming in the first `kept`
/// reduced coordinates where there are proxies and kept > 0. It views the file, which outlives it.
/// @returns nullptr for a model without a field
/// @throws InputError if a section is invalid
std::unique_ptr<SignedField> make_field(const ModelFile& model, std::uint32_t kept);

}  // namespace haptic

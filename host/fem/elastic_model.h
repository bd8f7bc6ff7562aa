#pragma once

#include <string_view>

namespace haptic {

/// Stress as a function of the deformation, for materials given by lambda, mu or C. All agree for
/// small strains: the stiffness at rest is the same.
enum class ElasticModel {
  kStvk,          ///< linear in Green strain (F^T F - I) / 2; the material of every reduced body
  kCorotational,  ///< linear in Biot strain R^T F - I, R the rotation of F
  kNeoHookean     ///< compressible, resists collapse; isotropic, det F > 0
};

/// The name in options and logs.
constexpr std::string_view name_of(ElasticModel model) {
  switch (model) {
    case ElasticModel::kCorotational:
      return "corotational";
    case ElasticModel::kNeoHookean:
      return "neo-hookean";
    case ElasticModel::kStvk:
      break;
  }
  return "stvk";
}

}  // namespace haptic

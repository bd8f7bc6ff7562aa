#pragma once

#include <string>
#include <variant>

#include "host/fem/elasticity.h"
#include "host/fem/material.h"

namespace haptic {

/// Linear material of an element group: S = C : E, isotropic (lambda, mu) or general.
class SolidMaterial {
 public:
  /// @throws InputError naming the number out of range
  SolidMaterial(const Material& material);  // NOLINT(google-explicit-constructor): is one
  /// @param density [kg/m^3]
  SolidMaterial(const LameParameters& lame, double density) : law_(lame), density_(density) {}
  /// @param elasticity [Pa]; a matrix whose two triangles differ is refused by require_valid
  SolidMaterial(const ElasticityMatrix& elasticity, double density)
      : law_(elasticity), density_(density) {}

  bool is_isotropic() const { return std::holds_alternative<LameParameters>(law_); }
  /// [Pa]; isotropic materials only.
  const LameParameters& lame() const { return std::get<LameParameters>(law_); }
  /// C of either kind [Pa].
  ElasticityMatrix elasticity() const;
  double density() const { return density_; }  ///< [kg/m^3]

  /// visitor(const LameParameters&) or visitor(const ElasticityMatrix&).
  template <typename Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    return std::visit(visitor, law_);
  }

  /// Energy of every strain > 0 (mu > 0 and 3 lambda + 2 mu > 0; C positive definite by its
  /// Cholesky factor), symmetric C, density > 0, all finite.
  /// @param key names the material in the error, e.g. "group 2"
  /// @throws InputError; for a C that is not positive definite with its smallest eigenvalue
  void require_valid(const std::string& key) const;

 private:
  std::variant<LameParameters, ElasticityMatrix> law_;
  double density_;
};

}  // namespace haptic

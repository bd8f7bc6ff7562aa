#include "host/bake/verify.h"

#include <Eigen/Eigenvalues>

#include "host/bake/verify_parts.h"
#include "shared/math/pose.h"

namespace haptic {

void verify_rigid(const ModelFile& model, VerifiedFigures& figures) {
  const double mass = model.doubles("/rigid/mass")[0];
  figures.push_back({"mass_positive", -mass, 0.0, "kg", "minus the mass"});
  const Matrix3 inertia(model.doubles("/rigid/inertia").data());
  const Eigen::Vector3d principal = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia).eigenvalues();
  // The principal moments of a body satisfy the triangle inequality; the margin is for rounding.
  figures.push_back({"inertia_triangle",
                     (principal[2] - principal[1] - principal[0]) / principal[2], 1e-9, "1",
                     "largest principal moment against the sum of the others"});
  figures.push_back({"inertia_symmetry",
                     (inertia - inertia.transpose()).cwiseAbs().maxCoeff() / principal[2], 1e-12,
                     "1", "inertia against its transpose"});
}

std::vector<VerifiedFigure> verify_model(const std::filesystem::path& path) {
  const ModelFile model(path);  // refuses a file with a wrong hash
  const ModelAttributes attributes = read_model_attributes(path);
  std::vector<VerifiedFigure> figures;
  figures.push_back(
      {"section_hashes", 0.0, 0.0, "1",
       "sections of " + std::to_string(model.sections().size()) + " with a wrong hash"});
  if (model.has("/reduced/basis")) verify_reduction(model, figures);
  if (model.has("/reduced/inertia/linear")) verify_inertia(model, figures);
  if (model.has("/reduced/groups/quadratic")) verify_groups(model, figures);
  if (model.has("/reduced/viscous/linear")) verify_viscosity(model, figures);
  if (model.has("/condensed/nodes")) verify_condensed(model, figures);
  if (model.has("/cloth/masses")) verify_cloth(model, attributes, figures);
  if (model.has("/shell/points")) verify_shell(model, attributes, figures);
  if (model.has("/field/values")) verify_field(model, attributes, figures);
  if (model.has("/field/sparse")) verify_sparse_field(model, attributes, figures);
  if (model.has("/field/frame")) verify_sight(model, figures);
  if (model.has("/field/proxies/points")) verify_proxies(model, figures);
  if (model.has("/rigid/mass")) verify_rigid(model, figures);
  return figures;
}

}  // namespace haptic

#include "host/bake/verify.h"

#include <Eigen/Eigenvalues>
#include <array>
#include <functional>
#include <string_view>

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

std::vector<VerifiedFigure> verify_model(const std::filesystem::path& path,
                                         const Progress& progress) {
  const ModelFile model(path);  // refuses a file with a wrong hash
  const ModelAttributes attributes = read_model_attributes(path);
  VerifiedFigures figures;
  figures.push_back(
      {"section_hashes", 0.0, 0.0, "1",
       "sections of " + std::to_string(model.sections().size()) + " with a wrong hash"});
  /// Time of a part: about `share` [ns] for each byte of its section.
  struct Part {
    std::string_view section;
    double share;
    std::function<void(const Progress&)> verify;
  };
  const std::array parts = {
      Part{"/reduced/basis", 1000.0,
           [&](const Progress& p) { verify_reduction(model, figures, p); }},
      Part{"/reduced/inertia/linear", 10.0,
           [&](const Progress&) { verify_inertia(model, figures); }},
      Part{"/reduced/groups/quadratic", 10.0,
           [&](const Progress&) { verify_groups(model, figures); }},
      Part{"/reduced/viscous/linear", 10.0,
           [&](const Progress&) { verify_viscosity(model, figures); }},
      Part{"/condensed/nodes", 2e6,
           [&](const Progress& p) { verify_condensed(model, figures, p); }},
      Part{"/cloth/masses", 1000.0,
           [&](const Progress&) { verify_cloth(model, attributes, figures); }},
      Part{"/shell/points", 3000.0,
           [&](const Progress& p) { verify_shell(model, attributes, figures, p); }},
      Part{"/field/values", 100.0,
           [&](const Progress& p) { verify_field(model, attributes, figures, p); }},
      Part{"/field/sparse", 100.0,
           [&](const Progress&) { verify_sparse_field(model, attributes, figures); }},
      Part{"/field/frame", 10.0, [&](const Progress&) { verify_sight(model, figures); }},
      Part{"/field/proxies/points", 1000.0,
           [&](const Progress&) { verify_proxies(model, figures); }},
      Part{"/rigid/mass", 1.0, [&](const Progress&) { verify_rigid(model, figures); }}};
  const auto cost = [&model](const Part& part) {
    return model.has(part.section)
               ? part.share * static_cast<double>(model.section(part.section).bytes.size())
               : 0.0;
  };
  double whole = 0.0, done = 0.0;
  for (const Part& part : parts) whole += cost(part);
  for (const Part& part : parts) {
    if (!model.has(part.section)) continue;
    const double next = done + cost(part);
    part.verify(part_of(progress, done / whole, next / whole));
    done = next;
    if (progress) progress(done / whole);
  }
  return figures;
}

}  // namespace haptic

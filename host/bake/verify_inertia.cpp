#include <algorithm>
#include <cmath>
#include <span>

#include "host/bake/group_mass.h"
#include "host/bake/inertia_tensors.h"
#include "host/bake/verify_parts.h"
#include "host/unreduced/baked_body.h"

namespace haptic {
namespace {

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

void verify_inertia(const ModelFile& model, VerifiedFigures& figures) {
  const StvkModel body = read_baked_body(model);
  const Eigen::MatrixXd basis = read_baked_basis(model);
  const RigidProperties rigid = rigid_properties_of(body);
  const double size = std::sqrt(rigid.inertia.trace());
  const BasisMomentum momentum = basis_momentum(body, basis);
  figures.push_back({"basis_momentum",
                     std::max(momentum.linear.cwiseAbs().maxCoeff() / std::sqrt(rigid.mass),
                              momentum.angular.cwiseAbs().maxCoeff() / size),
                     1e-8, "1", "momentum of a free body's basis vectors, of a rigid motion's"});
  const InertiaTensors tensors = inertia_tensors(body, basis);
  figures.push_back(
      {"inertia_tensors",
       std::max(
           {largest_difference(model.doubles("/reduced/inertia/linear"), tensors.linear) / size,
            largest_difference(model.doubles("/reduced/inertia/quadratic"), tensors.quadratic),
            largest_difference(model.doubles("/reduced/inertia/spin"), tensors.spin)}),
       1e-10, "1", "/reduced/inertia against the mesh and the basis"});
  const Vector3 centre(model.doubles("/rigid/centre").data());
  figures.push_back({"centre_of_mesh", (centre - rigid.centre).norm(),
                     1e-10 * (body.mesh().upper() - body.mesh().lower()).maxCoeff(), "m",
                     "/rigid/centre of a free body against its mesh"});
}

}  // namespace haptic

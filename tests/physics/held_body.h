#pragma once

#include <string>

#include "host/fem/stvk_model.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// The unreduced body that a recipe makes of a surface, all else by default: E = 1 MPa,
/// 1000 kg/m^3.
/// @param constraints lines of [constraints] @param groups tables of [[material.group]]
StvkModel held_body(const TriangleMesh& surface, int resolution, double nu,
                    const std::string& constraints, const std::string& groups = "");

/// Work of a body force on the displacement that it causes, f.u [J]: twice the strain energy.
/// @param acceleration at the vertices, 3n [m/s^2]
double work_of_body_force(const StvkModel& body, const Eigen::VectorXd& acceleration);

}  // namespace haptic

#include "host/bake/group_mass.h"

namespace haptic {

SolidMesh solid_mesh_of(const Recipe& recipe, const SolidBody& solid,
                        const std::vector<std::uint32_t>& groups) {
  std::vector<SolidMaterial> materials;
  for (const MaterialGroupRecipe& group : recipe.groups) materials.push_back(group.material);
  if (solid.kind == ElementKind::kHexahedron) {
    return {solid.vertices, solid.elements, MaterialGroups{std::move(materials), groups},
            solid.cells};
  }
  return {solid.kind, solid.vertices, solid.elements, MaterialGroups{std::move(materials), groups}};
}

RigidProperties rigid_properties_of(const StvkModel& model) {
  const SparseMatrix mass = model.scalar_mass();
  Eigen::MatrixXd x(model.vertex_count(), 3);
  for (int v = 0; v < model.vertex_count(); ++v) x.row(v) = model.mesh().vertex(v).transpose();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(x.rows());
  const Eigen::VectorXd weights = mass * ones;
  RigidProperties rigid;
  rigid.mass = weights.sum();
  rigid.centre = x.transpose() * weights / rigid.mass;
  x.rowwise() -= rigid.centre.transpose();
  const Matrix3 moments = x.transpose() * (mass * x);
  rigid.inertia = moments.trace() * Matrix3::Identity() - moments;
  return rigid;
}

RigidProperties rigid_properties_of_groups(const Recipe& recipe, const SolidBody& solid,
                                           const std::vector<std::uint32_t>& groups) {
  return rigid_properties_of(
      StvkModel(solid_mesh_of(recipe, solid, groups), {}, {.mass = recipe.mass}));
}

}  // namespace haptic

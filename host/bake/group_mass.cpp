#include "host/bake/group_mass.h"

#include "host/fem/stvk_model.h"

namespace haptic {

SolidMesh solid_mesh_of(const Recipe& recipe, const SolidBody& solid,
                        const std::vector<std::uint32_t>& groups) {
  std::vector<SolidMaterial> materials;
  for (const MaterialGroupRecipe& group : recipe.groups) materials.push_back(group.material);
  return {solid.kind, solid.vertices, solid.elements, MaterialGroups{std::move(materials), groups}};
}

RigidProperties rigid_properties_of_groups(const Recipe& recipe, const SolidBody& solid,
                                           const std::vector<std::uint32_t>& groups) {
  const StvkModel model(solid_mesh_of(recipe, solid, groups), {});
  const SparseMatrix mass = model.scalar_mass();
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>> x(
      solid.vertices.data(), static_cast<Eigen::Index>(solid.vertex_count()), 3);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(x.rows());
  const Eigen::VectorXd weights = mass * ones;
  RigidProperties rigid;
  rigid.mass = weights.sum();
  rigid.centre = x.transpose() * weights / rigid.mass;
  const Eigen::MatrixXd about = x.rowwise() - rigid.centre.transpose();
  const Matrix3 moments = about.transpose() * (mass * about);
  rigid.inertia = moments.trace() * Matrix3::Identity() - moments;
  return rigid;
}

}  // namespace haptic

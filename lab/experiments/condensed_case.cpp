#include "lab/experiments/condensed_case.h"

#include <chrono>

#include "host/bake/bake.h"
#include "host/condensation/condensed_nodes.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// Bakes from nothing. @returns seconds
double bake_case(const std::string& name, const fs::path& folder, const std::string& file,
                 const CondensedCase::Variant& variant) {
  fs::create_directories(folder);
  const fs::path shipped = fs::path(HAPTIC_SOURCE_FOLDER) / "scenes/condensed" / (name + ".toml");
  Recipe recipe = load_recipe(shipped);
  recipe.mesh = folder / (name + ".obj");
  // As scenes/bake.sh does.
  write_obj(recipe.mesh.string(),
            name == "cube" ? make_shape("box", {{"resolution", 21}}) : make_shape(name, {}));
  recipe.condensed = {variant.modes, variant.precision};
  StageProgress quiet(nullptr);
  const auto start = std::chrono::steady_clock::now();
  bake(recipe, folder / (file + ".h5"), quiet);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

CondensedCase::CondensedCase(const std::string& name, const fs::path& folder,
                             const std::string& file, const Variant& variant)
    : name_(name),
      bake_seconds_(bake_case(name, folder, file, variant)),
      file_(folder / (file + ".h5")),
      model_(read_condensed_model(file_)),
      body_(lab::read_linear_body(file_)),
      nodes_(file_.indices("/condensed/nodes")),
      dofs_(free_dofs_of(body_.model, nodes_)) {}

Vector3 CondensedCase::place(std::uint32_t node) const {
  return body_.model.mesh().vertex(static_cast<int>(nodes_[node]));
}

Vector3 CondensedCase::vertex(std::uint32_t vertex) const {
  return Eigen::Map<const Vector3>(&model_.vertices[3 * std::size_t{vertex}]);
}

std::uint32_t CondensedCase::node_near(const Vector3& place) const {
  std::uint32_t nearest = 0;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    if ((this->place(node) - place).norm() < (this->place(nearest) - place).norm()) nearest = node;
  }
  return nearest;
}

condensed::ContactRow CondensedCase::row(std::uint32_t node) const {
  condensed::ContactRow row;
  row.nodes[0] = node;
  row.weights[0] = 1.0;
  row.count = 1;
  return row;
}

std::vector<std::uint32_t> CondensedCase::nodes_near(std::uint32_t node, double distance) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if ((place(i) - place(node)).norm() <= distance) found.push_back(i);
  }
  return found;
}

std::vector<std::uint32_t> CondensedCase::nodes_beyond(std::uint32_t node, double distance) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if ((place(i) - place(node)).norm() > distance) found.push_back(i);
  }
  return found;
}

lab::ContactRows CondensedCase::full_rows(std::span<const condensed::ContactRow> rows) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].count; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        entries.emplace_back(static_cast<int>(3 * i + axis), dofs_[3 * rows[i].nodes[k] + axis],
                             rows[i].weights[k]);
      }
    }
  }
  lab::ContactRows H(static_cast<Eigen::Index>(3 * rows.size()), body_.size());
  H.setFromTriplets(entries.begin(), entries.end());
  return H;
}

Eigen::VectorXd CondensedCase::condensed(const Eigen::VectorXd& free) const {
  Eigen::VectorXd rows(dof());
  for (Eigen::Index i = 0; i < dof(); ++i) rows[i] = free[dofs_[static_cast<std::size_t>(i)]];
  return rows;
}

Eigen::VectorXd CondensedCase::condensed_of_all(const Eigen::VectorXd& all) const {
  return condensed(body_.model.restrict_to_free(all));
}

Eigen::VectorXd CondensedCase::mode_rows(std::size_t mode) const {
  Eigen::VectorXd column(dof());
  for (Eigen::Index i = 0; i < dof(); ++i) {
    column[i] = model_.modes[static_cast<std::size_t>(i) * model_.mode_count + mode];
  }
  return column;
}

double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b,
                           std::span<const std::uint32_t> nodes) {
  double difference = 0.0, size = 0.0;
  for (const std::uint32_t node : nodes) {
    const Eigen::Index at = 3 * static_cast<Eigen::Index>(node);
    difference += (a - b).segment<3>(at).squaredNorm();
    size += b.segment<3>(at).squaredNorm();
  }
  return std::sqrt(difference / size);
}

HeldContacts::HeldContacts(const CondensedModel& model,
                           const condensed::CondensedDynamicsSettings& settings,
                           std::span<const condensed::ContactRow> rows)
    : dynamics(model, settings),
      solver_(3 * settings.capacity),
      force_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * rows.size()))),
      u_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.dof()))) {
  for (const condensed::ContactRow& row : rows) HAPTIC_DEMAND(dynamics.add_contact(row));
}

bool HeldContacts::try_step(const Eigen::VectorXd& target) {
  dynamics.prepare();
  const std::span<const double> free = dynamics.free_displacement();
  force_ = target - Eigen::Map<const Eigen::VectorXd>(free.data(), target.size());
  if (force_.size() > 0) {
    solver_.factorise(dynamics.effective_compliance(), dynamics.contacts().scale());
    const std::span<double> f(force_.data(), static_cast<std::size_t>(force_.size()));
    solver_.solve(f, f);
  }
  return dynamics.advance({force_.data(), static_cast<std::size_t>(force_.size())});
}

void HeldContacts::step(const Eigen::VectorXd& target) {
  if (!try_step(target)) throw OperationError("a step of the condensed body diverged");
}

const Eigen::VectorXd& HeldContacts::pose() {
  dynamics.node_displacements({u_.data(), static_cast<std::size_t>(u_.size())});
  return u_;
}

Eigen::VectorXd HeldContacts::q() const {
  const auto q = dynamics.q();
  return Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
}

Eigen::VectorXd HeldContacts::velocity() const {
  const auto qd = dynamics.qd();
  return Eigen::Map<const Eigen::VectorXd>(qd.data(), static_cast<Eigen::Index>(qd.size()));
}

}  // namespace haptic

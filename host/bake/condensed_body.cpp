#include "host/bake/condensed_body.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "host/bake/group_mass.h"
#include "host/bake/modal_damping.h"
#include "host/condensation/condensed_nodes.h"
#include "host/condensation/lumped_modes.h"
#include "shared/error.h"

namespace haptic {
namespace {

using Fraction = Stages::Fraction;
using RunOn = Stages::RunOn;
using ResultOn = Stages::ResultOn;

/// Everything but the compliance: what is small enough to be stored.
struct Condensation {
  std::vector<std::uint32_t> nodes;
  CondensedEmbedding embedding;
  Eigen::MatrixXd modes;  ///< 3c x k
  Eigen::VectorXd eigenvalues;
};

template <class Archive>
void archive(Archive& a, Condensation& c) {
  a(c.nodes, c.embedding.nodes, c.embedding.weights, c.modes, c.eigenvalues);
}

/// The body and its factor, made when a stage first needs them.
class LumpedBody {
 public:
  LumpedBody(const Recipe& recipe, const BodyMesh& mesh) : recipe_(recipe), mesh_(mesh) {}

  const StvkModel& model() {
    if (!model_) {
      model_.emplace(solid_mesh_of(recipe_, mesh_.solid, mesh_.groups), mesh_.fixed,
                     BodySettings{.mass = MassKind::kLumped});
    }
    return *model_;
  }
  const SparseFactorization& stiffness() {
    if (!factor_) {
      require_held(recipe_, model());
      factor_.emplace(factor_rest_stiffness(model()));
    }
    return *factor_;
  }

 private:
  const Recipe& recipe_;
  const BodyMesh& mesh_;
  std::optional<StvkModel> model_;
  std::optional<SparseFactorization> factor_;
};

Condensation condense(const Recipe& recipe, const BodyMesh& mesh, const SourceSurface& source,
                      LumpedBody& body, StageProgress& progress) {
  const StvkModel& model = body.model();
  const int k = recipe.condensed->modes;
  if (k > model.free_dof_count()) {
    throw InputError(recipe.file.string(), "condensed.modes", fmt::format("found {}", k),
                     fmt::format("at most {}, the degrees of freedom of the {} vertices that are "
                                 "not fixed",
                                 model.free_dof_count(), model.free_vertex_count()));
  }
  const std::vector<EmbeddedPoint> points = embed_points(mesh.solid, source.mesh.vertices);
  std::vector<std::uint32_t> elements;
  for (const EmbeddedPoint& point : points) elements.push_back(point.element);
  Condensation result;
  result.nodes = condensed_nodes(model, elements);
  result.embedding =
      condensed_embedding(points, result.nodes, model.fixed_vertices(), mesh.solid.corners());
  const LinearModes modes = lumped_modes(model, body.stiffness(), k);
  result.eigenvalues = modes.eigenvalues;
  result.modes.resize(3 * static_cast<Eigen::Index>(result.nodes.size()), k);
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    result.modes.middleRows<3>(3 * static_cast<Eigen::Index>(i)) =
        modes.shapes.middleRows<3>(3 * static_cast<Eigen::Index>(result.nodes[i]));
  }
  constexpr double kTurn = 2.0 * std::numbers::pi;
  progress.note(fmt::format(
      "{} of {} nodes retained ({} fixed, {} inner): {} degrees of freedom; {} modes, {:.3g} Hz "
      "to {:.3g} Hz",
      result.nodes.size(), model.vertex_count(), model.fixed_vertices().size(),
      model.free_vertices().size() - result.nodes.size(), 3 * result.nodes.size(), k,
      std::sqrt(modes.eigenvalues[0]) / kTurn, std::sqrt(modes.eigenvalues[k - 1]) / kTurn));
  return result;
}

}  // namespace

CondensedBody make_condensed_body(const Recipe& recipe, const BodyMesh& mesh,
                                  const StageResult<SourceSurface>& source, const Stages& stages) {
  StageProgress& progress = stages.progress();
  LumpedBody lumped(recipe, mesh);
  StageKey key = rest_body_key("condensation", recipe, mesh, MassKind::kLumped);
  key.add(source.digest, recipe.condensed->modes);
  auto condensation = stages.run<Condensation>(
      "condensation", key, RunOn::kFirst, ResultOn::kFirst,
      [&](const Fraction&) { return condense(recipe, mesh, source.value, lumped, progress); });
  CondensedBody body;
  if (stages.ranks().first()) {
    Condensation& small = condensation.value;
    body.nodes = std::move(small.nodes);
    body.embedding = std::move(small.embedding);
    body.modes = {small.modes, std::move(small.eigenvalues)};
    const auto& lambda = body.modes.eigenvalues;
    body.damping =
        modal_damping(recipe, {lambda.data(), static_cast<std::size_t>(lambda.size())}, progress);
  }
  // On the other ranks, which wait, the work is not called.
  stages.run("compliance", [&] {
    body.compliance =
        surface_compliance(lumped.stiffness(), free_dofs_of(lumped.model(), body.nodes), body.modes,
                           recipe.condensed->precision);
    if (recipe.condensed->precision == CompliancePrecision::kSingle) {
      progress.note(fmt::format(
          "single precision: compliance to {:.1e}, the force of one contact without the modes' "
          "part to {:.1e}, relative",
          body.compliance.rounding, body.compliance.contact_force_error));
    }
  });
  return body;
}

void write_condensed_sections(ModelWriter& writer, const CondensedBody& body) {
  const std::uint64_t c = body.nodes.size(), s = body.compliance.dof;
  const auto k = static_cast<std::uint64_t>(body.modes.eigenvalues.size());
  const std::uint64_t v = body.embedding.nodes.size() / 8;
  writer.add("/condensed/nodes", std::span(body.nodes), {c});
  if (body.compliance.full.empty()) {
    writer.add("/condensed/compliance/single", std::span(body.compliance.single), {s, s});
    writer.set_attribute("/condensed", "rounding", body.compliance.rounding);
    writer.set_attribute("/condensed", "contact_force_rounding",
                         body.compliance.contact_force_error);
  } else {
    writer.add("/condensed/compliance/double", std::span(body.compliance.full), {s, s});
  }
  writer.add("/condensed/modes", std::span(body.modes.shapes.data(), s * k), {s, k});
  writer.add("/condensed/eigenvalues", std::span(body.modes.eigenvalues.data(), k), {k});
  const std::array damping = {body.damping.alpha, body.damping.beta};
  writer.add("/condensed/damping", std::span<const double>(damping), {2});
  writer.add("/condensed/embedding/nodes", std::span(body.embedding.nodes), {v, 8});
  writer.add("/condensed/embedding/weights", std::span(body.embedding.weights), {v, 8});
}

}  // namespace haptic

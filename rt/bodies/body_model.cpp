#include "rt/bodies/body_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/bodies/with_file_context.h"
#include "rt/contact/contact_law_input.h"
#include "rt/dynamics/truncation.h"
#include "rt/geometry/analytic_field.h"
#include "rt/geometry/model_field.h"
#include "rt/geometry/shell_checks.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// Largest bounding radius [m]; its squares and cubes do not overflow.
constexpr double kMaxBody = 1e9;

/// Calls `at` with every point of the surface if the model has one, else of the shell.
/// @returns whether it has either
template <typename Function>
bool for_each_point(const BodyModel& body, Function at) {
  const auto visit = [&](auto xyz) {
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) at(Vector3(xyz[i], xyz[i + 1], xyz[i + 2]));
    return true;
  };
  if (body.file && body.file->has("/surface/vertices")) {
    return visit(body.file->doubles("/surface/vertices"));
  }
  return body.shell && visit(body.file->floats("/shell/points"));
}

/// The first `kept` of every `r` numbers.
std::vector<float> leading_columns(std::span<const float> rows, std::uint32_t r,
                                   std::uint32_t kept) {
  std::vector<float> leading;
  leading.reserve(rows.size() / r * kept);
  for (std::size_t row = 0; row < rows.size(); row += r) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row);
    leading.insert(leading.end(), first, first + kept);
  }
  return leading;
}

}  // namespace

BodyModel::BodyModel(const BodySource& source, std::optional<std::uint32_t> dimension,
                     std::shared_ptr<const ModelFile> opened)
    : file(std::move(opened)) {
  if (const auto* const shape = std::get_if<AnalyticShape>(&source)) {
    field = std::make_unique<AnalyticField>(*shape);
    content_hash = shape->hash();
  } else {
    if (!file) {
      file =
          std::make_shared<const ModelFile>(std::get<std::filesystem::path>(source),
                                            ModelFile::Hashes::kCheck, ModelFile::Memory::kSealed);
    }
    content_hash = file->content_hash();
    add_sections(*file, dimension);
  }
  bounding_radius = bounding_radius_about(Vector3::Zero());
  if (!(bounding_radius <= kMaxBody)) {
    throw InputError(text_of(source), "bounding radius", fmt::format("found {} m", bounding_radius),
                     fmt::format("at most {:g} m, of surface, shell or field", kMaxBody));
  }
}

double BodyModel::bounding_radius_about(const Vector3& point) const {
  double radius2 = 0.0;
  if (for_each_point(*this, [&](const Vector3& p) {
        radius2 = std::max(radius2, (p - point).squaredNorm());
      })) {
    return std::sqrt(radius2);
  }
  return field ? field->reach() + point.norm() : 0.0;
}

BodyModel::Extent BodyModel::extent() const {
  Eigen::AlignedBox3d box;
  if (for_each_point(*this, [&](const Vector3& p) { box.extend(p); }) && !box.isEmpty()) {
    return {box.center(), 0.5 * box.diagonal().norm()};
  }
  return {Vector3::Zero(), field ? field->reach() : 0.0};
}

void BodyModel::add_sections(const ModelFile& model, std::optional<std::uint32_t> dimension) {
  const std::uint32_t r = model.reduced_dimension();
  if (dimension && *dimension > r) {
    throw InputError(model.path().string(), "/reduced/basis",
                     fmt::format("found {} basis vectors", r),
                     fmt::format("at least the {} that the scene asks for", *dimension));
  }
  const std::uint32_t kept = dimension.value_or(r);
  if (model.has("/shell/points")) add_shell(model, kept);
  field = make_field(model, kept);
  if (shell) {
    require_belonging(*shell, *tree, model.path().string());
    require_points_in_spheres(*shell, *tree, model.path().string());
    require_inward_normals(*shell, field.get(), model.path().string());
  }
  if (shell && model.has("/shell/weights")) {
    require_area_weights(model.floats("/shell/weights"), shell->size(), model.path().string());
  }
  if (shell && model.has("/shell/areas")) {
    require_area_weights(model.floats("/shell/areas"), shell->size(), model.path().string(),
                         "/shell/areas");
  }
  if (r > 0) {
    with_file_context(model.path(), [&] { add_energy(model, kept); });
    damping = read_rayleigh_damping(model);
  }
  if (shell && shell->dimension() != this->dimension()) {
    throw InputError(model.path().string(), "/shell/displacement",
                     fmt::format("found {} reduced coordinates", shell->dimension()),
                     fmt::format("{}, as in /reduced", this->dimension()));
  }
}

void BodyModel::add_shell(const ModelFile& model, std::uint32_t kept) {
  shell.emplace(model);
  tree.emplace(model);
  const std::uint32_t r = model.reduced_dimension();
  if (kept == r) return;
  displacement_ = leading_columns(model.floats("/shell/displacement"), r, kept);
  normal_correction_ = leading_columns(model.floats("/shell/normal_correction"), r, kept);
  modal_radius_ = leading_columns(model.floats("/shell/tree/modal_radius"), r, kept);
  shell.emplace(kept, model.floats("/shell/points"), model.floats("/shell/normals"), displacement_,
                normal_correction_, model.path().string());
  tree.emplace(kept, shell->size(), model.indices("/shell/tree/level_begin"),
               model.indices("/shell/tree/point"), model.indices("/shell/tree/child_begin"),
               model.indices("/shell/tree/child_count"), model.floats("/shell/tree/radius"),
               modal_radius_, model.path().string());
}

void BodyModel::add_energy(const ModelFile& model, std::uint32_t kept) {
  const std::uint32_t r = model.reduced_dimension();
  const auto storage =
      model.coefficient_size() == 4 ? CoefficientStorage::kFloat : CoefficientStorage::kDouble;
  energy.emplace(kept, leading_entries(model.doubles("/reduced/quadratic"), r, 2, kept),
                 leading_entries(model.doubles("/reduced/cubic"), r, 3, kept),
                 leading_entries(model.doubles("/reduced/quartic"), r, 4, kept), storage);
  if (!model.has("/reduced/viscous/linear")) return;
  viscosity.emplace(kept, leading_entries(model.doubles("/reduced/viscous/linear"), r, 2, kept),
                    leading_mixed(model.doubles("/reduced/viscous/mixed"), r, kept),
                    leading_pair_triangle(model.doubles("/reduced/viscous/quadratic"), r, kept));
}

}  // namespace haptic

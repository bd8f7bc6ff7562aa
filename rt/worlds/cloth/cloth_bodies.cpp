#include "rt/worlds/cloth/cloth_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/bodies/with_file_context.h"
#include "rt/dynamics/newmark_integrator.h"
#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// Most sites of a cloth for one body.
constexpr std::size_t kMaxSites = 1 << 16;

FieldContacts::Settings contact_settings(const ClothSettings& settings) {
  return {.stiffness = settings.contact_stiffness,
          .foundation = settings.contact_foundation,
          .friction = settings.contact_friction,
          .thickness = settings.thickness,
          .capacity = settings.contact_capacity};
}

void require_field(const Scene& scene, std::size_t body, const BodyModel& model) {
  const std::string& name = scene.bodies[body].name;
  if (!model.field) {
    throw InputError(scene.file.string(), name,
                     fmt::format("found {}, without a field", text_of(scene.bodies[body].model)),
                     "a shape, or a model baked with [field], for the cloth to touch");
  }
  if (model.dimension() > 0 && model.field->dimension() == 0) {
    throw InputError(scene.file.string(), name,
                     fmt::format("found {}, which deforms and whose field does not",
                                 text_of(scene.bodies[body].model)),
                     "a model baked with field.proxies");
  }
}

}  // namespace

double site_spacing(const SignedField& field) {
  return std::max(field.edge(), std::min(field.inner_depth(), 0.25 * field.reach()));
}

std::string pierced_warning(const ClothSites& sites, std::span<const double> x,
                            const SignedField& field, const Pose& pose) {
  std::size_t inside = 0;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    const Vector3 p = pose.orientation.conjugate() * (sites.at_site(k, x) - pose.position);
    if (field.distance_and_gradient(p).distance < 0.0) ++inside;
  }
  if (inside == 0) return {};
  return fmt::format(
      "{} of {} points of the cloth begin inside it, and the cloth stays pierced: place them apart",
      inside, sites.size());
}

ClothBodies::ClothBodies(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                         std::span<const TriangleCorners> cloth, std::span<const double> rest,
                         double dt)
    : dt_(dt) {
  const ClothSettings& settings = cloth_settings(scene);
  std::uint32_t partner = 0;
  std::size_t coordinate = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyModel& model = *models[i];
    const std::size_t first = coordinate;
    coordinate += model.dimension();
    if (i == settings.body || scene.bodies[i].role != BodyRole::kAnchored) continue;
    require_field(scene, i, model);
    Body body;
    body.body = i;
    body.name = scene.bodies[i].name;
    body.field = model.field.get();
    body.pose = scene.bodies[i].pose;
    body.first_coordinate = first;
    body.sites = std::make_unique<ClothSites>(cloth, rest, site_spacing(*model.field), kMaxSites);
    body.pierced = pierced_warning(*body.sites, rest, *model.field, body.pose);
    body.contacts =
        std::make_unique<FieldContacts>(*body.sites, *model.field, contact_settings(settings));
    if (model.energy) {
      with_file_context(model.file->path(), [&] {
        body.dynamics = std::make_unique<DeformableBody>(model, BodyDynamics{}, dt);
      });
      body.partner = partner++;
      const std::size_t r = model.dimension();
      body.matrix.resize(r * r);
      body.load.resize(r);
      body.still.resize(r);
    }
    bodies_.push_back(std::move(body));
  }
}

std::vector<std::uint32_t> ClothBodies::partners() const {
  std::vector<std::uint32_t> dimensions;
  for (const Body& body : bodies_) {
    if (body.dynamics) dimensions.push_back(static_cast<std::uint32_t>(body.load.size()));
  }
  return dimensions;
}

bool ClothBodies::touch(const BoxHierarchy& hierarchy, const ClothState& state,
                        ContactStep& step) HAPTIC_REALTIME {
  bool room = true;
  for (Body& body : bodies_) {
    FieldContacts::Body at{.pose = body.pose};
    FieldContacts::Partner partner;
    if (body.dynamics) {
      (void)body.dynamics->begin_step();
      const NewmarkIntegrator::StepSystem system = body.dynamics->prepare(body.still);
      for (std::size_t k = 0; k < system.matrix.size(); ++k) {
        body.matrix[k] = system.matrix[k] / NewmarkIntegrator::kImpulseFirst;
      }
      for (std::size_t k = 0; k < system.load.size(); ++k) {
        body.load[k] = system.load[k] / NewmarkIntegrator::kImpulseFirst;
      }
      step.set_partner(body.partner, std::span(body.matrix).first(system.matrix.size()),
                       std::span(body.load).first(system.load.size()));
      body.field->deform(body.dynamics->q());
      at.qdot = body.dynamics->qdot();
      partner = {FieldContacts::Partner::Kind::kReduced, body.partner, Vector3::Zero()};
    }
    body.contacts->find(hierarchy, state, at, dt_);
    room = body.contacts->add_to(step, partner) && room;
  }
  return room;
}

ClothBodies::Result ClothBodies::complete(const ContactStep& step,
                                          std::size_t& failed) HAPTIC_REALTIME {
  for (Body& body : bodies_) {
    body.contacts->settle(step);
    if (!body.dynamics) continue;
    if (body.dynamics->complete(step.partner_motion(body.partner),
                                NewmarkIntegrator::kImpulseFirst) != StepResult::kOk) {
      failed = body.body;
      return Result::kDiverged;
    }
  }
  return Result::kDone;
}

void ClothBodies::reset() HAPTIC_REALTIME {
  for (Body& body : bodies_) {
    body.contacts->clear_history();
    if (body.dynamics) body.dynamics->reset();
  }
}

void ClothBodies::write_coordinates(std::span<double> coordinates) const HAPTIC_REALTIME {
  for (const Body& body : bodies_) {
    if (!body.dynamics) continue;
    const std::span<const double> q = body.dynamics->q();
    std::ranges::copy(q, coordinates.subspan(body.first_coordinate, q.size()).begin());
  }
}

void ClothBodies::set_contact(double stiffness, double friction) HAPTIC_REALTIME {
  for (Body& body : bodies_) {
    body.contacts->adjustable().stiffness = stiffness;
    body.contacts->adjustable().friction = friction;
  }
}

std::size_t ClothBodies::left_out() const HAPTIC_REALTIME {
  std::size_t count = 0;
  for (const Body& body : bodies_) count += body.contacts->left_out();
  return count;
}

std::vector<std::string> ClothBodies::warnings() const {
  std::vector<std::string> lines;
  for (const Body& body : bodies_) {
    const std::string line = body.sites->warning();
    if (!line.empty()) lines.push_back(body.name + ": " + line);
    if (!body.pierced.empty()) lines.push_back(body.name + ": " + body.pierced);
  }
  return lines;
}

}  // namespace haptic::cloth

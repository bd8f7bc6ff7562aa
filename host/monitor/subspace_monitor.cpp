#include "host/monitor/subspace_monitor.h"

#include <algorithm>

#include "shared/error.h"

namespace haptic {
namespace {

/// Value of `key` now, or `otherwise` where the daemon has no such parameter.
double value_of(const std::vector<ParameterRecord>& parameters, const std::string& key,
                double otherwise) {
  for (const ParameterRecord& p : parameters) {
    if (key == p.name) return p.value;
  }
  return otherwise;
}

bool same(const MaterialRows::Group& a, const MaterialRows::Group& b) {
  return a.lambda == b.lambda && a.mu == b.mu && a.density == b.density;
}

}  // namespace

SubspaceMonitor::SubspaceMonitor(const TelemetryReader& telemetry) : state_(telemetry.state()) {
  for (const BodyRecord& record : telemetry.bodies()) {
    if (record.coordinate_count == 0) continue;
    Body body{record.name,
              record.model_path,
              record.model_hash,
              record.first_coordinate,
              record.coordinate_count,
              nullptr,
              {},
              0,
              nullptr,
              {}};
    try {
      open(body);
    } catch (const std::exception& error) {
      body.why_not = error.what();
      body.residual.reset();
    }
    bodies_.push_back(std::move(body));
  }
}

void SubspaceMonitor::open(Body& body) {
  if (body.path.empty()) throw OperationError("the path of its model is too long");
  // Its bytes were checked by the daemon that mapped it, if it is the same file.
  body.model = std::make_unique<ModelFile>(body.path, ModelFile::Hashes::kSkip);
  if (body.model->content_hash() != body.hash) {
    throw OperationError(body.path + " is no longer the model that the daemon runs");
  }
  body.groups = MaterialRows::groups_of(*body.model);
  body.residual = std::make_unique<SubspaceResidual>(*body.model, body.coordinate_count);
  body.dimension = body.coordinate_count;
}

// The scale factors of a whole body do not change the ratio: both forces scale equally.
void SubspaceMonitor::follow(Body& body, const std::vector<ParameterRecord>& parameters) {
  const double wanted = value_of(parameters, body.name + ".dimension", body.coordinate_count);
  // The daemon checks it; a record that is torn or of another version may hold anything.
  const auto dimension = wanted >= 1.0 && wanted <= body.coordinate_count
                             ? static_cast<std::uint32_t>(wanted)
                             : body.coordinate_count;
  const std::vector<MaterialRows::Group> baked = MaterialRows::groups_of(*body.model);
  std::vector<MaterialRows::Group> now = baked;
  for (MaterialRows::Group& group : now) {
    const auto value = [&](const char* word, double otherwise) {
      return value_of(parameters, body.name + "." + word + "." + group.name, otherwise);
    };
    group.density = value("density", group.density);
    if (group.anisotropic()) {
      group.lambda = value("stiffness", 1.0);
    } else {
      group.lambda = value("lambda", group.lambda);
      group.mu = value("mu", group.mu);
    }
  }
  if (dimension == body.dimension && std::ranges::equal(now, body.groups, same)) return;
  const bool as_baked = std::ranges::equal(now, baked, same);
  body.residual = std::make_unique<SubspaceResidual>(
      *body.model, dimension, as_baked ? std::span<const MaterialRows::Group>() : now);
  body.dimension = dimension;
  body.groups = std::move(now);
}

std::vector<BodySubspaceError> SubspaceMonitor::read(const std::vector<ParameterRecord>& parameters,
                                                     const TelemetrySample& newest) {
  std::vector<BodySubspaceError> errors;
  for (Body& body : bodies_) {
    BodySubspaceError& error = errors.emplace_back();
    error.body = body.name;
    error.why_not = body.why_not;
    if (!body.residual) continue;
    try {
      follow(body, parameters);
      const auto coordinates =
          state_.values(StateLayout::kBodyCoordinates, std::span(newest.state));
      error.ratio = body.residual->at(coordinates.subspan(body.first_coordinate, body.dimension));
      error.known = true;
    } catch (const std::exception& refused) {
      error.why_not = refused.what();
    }
  }
  return errors;
}

}  // namespace haptic

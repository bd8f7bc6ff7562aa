// What a scene's cloth refers to in the rest of the scene.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "rt/worlds/cloth/cloth_keys.h"

namespace haptic::cloth {
namespace {

/// A body in whose lee there is no wind: an anchored one, of finite extent.
std::size_t find_wind_shadow(const TomlTable& table, const std::string& name, const Scene& core,
                             std::size_t cloth) {
  const auto found = std::ranges::find(core.bodies, name, &SceneBody::name);
  const auto index = static_cast<std::size_t>(found - core.bodies.begin());
  const bool anchored = found != core.bodies.end() && found->role == BodyRole::kAnchored;
  if (!anchored || index == cloth) {
    table.refuse("body", fmt::format("found \"{}\"", name),
                 "the name of an anchored body that is not the cloth");
  }
  if (const auto* const shape = std::get_if<AnalyticShape>(&found->model);
      shape != nullptr && shape->kind == ShapeKind::kPlane) {
    table.refuse("body", fmt::format("found \"{}\", a plane", name), "a body of finite extent");
  }
  return index;
}

/// The body of the cloth: of that name, or the only anchored one with a model.
std::size_t find_cloth(const TomlTable& root, const std::string& name, const Scene& core) {
  const auto may_be_cloth = [](const SceneBody& body) {
    return body.role == BodyRole::kAnchored && !std::holds_alternative<AnalyticShape>(body.model);
  };
  if (!name.empty()) {
    const auto found = std::ranges::find(core.bodies, name, &SceneBody::name);
    if (found == core.bodies.end() || !may_be_cloth(*found)) {
      root.table("cloth").refuse("body", fmt::format("found \"{}\"", name),
                                 "the name of an anchored body with a model");
    }
    return static_cast<std::size_t>(found - core.bodies.begin());
  }
  if (std::ranges::count_if(core.bodies, may_be_cloth) != 1) {
    root.refuse("cloth",
                fmt::format("found {} anchored bodies with a model and no key body",
                            std::ranges::count_if(core.bodies, may_be_cloth)),
                "body = the name of the one that was baked with [cloth]");
  }
  return static_cast<std::size_t>(std::ranges::find_if(core.bodies, may_be_cloth) -
                                  core.bodies.begin());
}

}  // namespace

std::shared_ptr<const WorldSettings> read_cloth(const TomlTable& root, const Scene& core) {
  auto settings = std::make_shared<ClothSettings>();
  cloth_keys().read_some(root, *settings);
  settings->body = find_cloth(root, settings->body_name, core);
  const std::vector<TomlTable> shadows = root.tables("wind_shadow");
  for (std::size_t i = 0; i < shadows.size(); ++i) {
    SceneWindShadow& shadow = settings->wind_shadows[i];
    shadow.body = find_wind_shadow(shadows[i], shadow.name, core, settings->body);
  }
  for (std::size_t i = 0; i < settings->constraints.size(); ++i) {
    settings->constraints[i].key = fmt::format("constraint[{}]", i);
  }
  if (settings->hand == ClothSettings::Hand::kPoint &&
      core.coupling.mode == CouplingMode::kDynamic) {
    root.refuse("coupling", "found mode = \"dynamic\" and a point in the hand, which has no mass",
                "mode = \"static\", or [touch] hand = \"tool\"");
  }
  if (settings->hand == ClothSettings::Hand::kTool && !settings->implicit_contact()) {
    root.refuse("cloth",
                fmt::format("found integrator = \"{}\" and a tool in the hand",
                            kClothMethods[static_cast<std::size_t>(settings->method)]),
                "integrator = \"implicit-euler\", or [touch] hand = \"point\"");
  }
  return settings;
}

}  // namespace haptic::cloth

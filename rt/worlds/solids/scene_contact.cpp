#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "rt/contact/contact_wall.h"
#include "rt/worlds/solids/solids_parameters.h"
#include "rt/worlds/solids/solids_tables.h"

namespace haptic::solids {

namespace {

constexpr std::int64_t kLargestBudget = 1'000'000'000;  // nodes, contacts
constexpr double kFade_s = 0.02;                        // default time to fade a change of levels
constexpr std::size_t kMostPairs = 20'000;
/// With dynamics.pair_capacity; a pair without a workspace takes less than 2 kB.
constexpr std::size_t kMostPairsOfPools = 500'000;

/// @returns nothing if no key says how forces are scaled
std::optional<ContactScaling> read_scaling(const TomlTable& table) {
  if (!table.has("scaling") && !table.has("scaling_count")) return {};
  const std::string name =
      table.choice("scaling", {"published", "smooth", "per-site", "none"}, "published");
  if (name == "smooth") return ContactScaling::kSmooth;
  if (name == "per-site") return ContactScaling::kPerSite;
  return name == "none" ? ContactScaling::kNone : ContactScaling::kPublished;
}

/// Rejects a key that would have no effect.
void refuse_with(const TomlTable& table, std::string_view key, std::string_view with,
                 std::string_view expected) {
  if (table.has(key)) table.refuse(key, fmt::format("found together with {}", with), expected);
}

constexpr double kMaxFoundation = 1e13;  // N/m^3
constexpr double kMaxWall = 1e6;         // N/m

/// Reads `foundation` or `wall`. @returns whether the table has one of them
bool read_known_stiffness(const TomlTable& table, ContactSettings& c) {
  const bool foundation = table.has("foundation"), wall = table.has("wall");
  if (!foundation && !wall) return false;
  const std::string_view key = foundation ? "foundation" : "wall";
  for (const char* const other : {"wall", "stiffness", "scaling", "scaling_count", "scaling_depth",
                                  "area_weights", "node_budget", "budget_us"}) {
    if (other != key) {
      refuse_with(table, other, key,
                  "one of the two: the stiffness of the contact is that of all its points");
    }
  }
  NumberRange range = NumberRange::between(0.0, foundation ? kMaxFoundation : kMaxWall,
                                           foundation ? "N/m^3" : "N/m");
  range.minimum_excluded = true;
  const double value = table.number(std::string(key), range);
  if (foundation) {
    c.foundation = true;
    c.stiffness = value;
    return true;
  }
  c.wall = value;
  c.stiffness = ContactWall::kPointRatio * value;
  return true;
}

FrictionSettings read_friction(const TomlTable& table) {
  FrictionSettings f;
  f.static_coefficient = table.number("static", NumberRange::between(0.0, 100.0));
  f.dynamic_coefficient = table.number("dynamic", NumberRange::between(0.0, f.static_coefficient),
                                       f.static_coefficient);
  f.stiffness = table.optional_number("stiffness", NumberRange::positive("N/m"));
  table.finish();
  return f;
}

/// Reads how tree levels are omitted to meet the contact's budget of nodes or of time.
DegradationSettings read_degradation(const TomlTable& contact, double rate_hz) {
  DegradationSettings d;
  const auto nodes = contact.optional_integer("node_budget", 1, kLargestBudget);
  const bool timed = contact.has("budget_us");
  if (timed) refuse_with(contact, "node_budget", "budget_us", "one of the two");
  if (!nodes && !timed) {
    refuse_with(contact, "degradation", "no budget", "node_budget or budget_us with it");
    return d;
  }
  d.warm_nodes = static_cast<std::uint32_t>(nodes.value_or(0));
  double fade_s = kFade_s;
  if (const auto table = contact.optional_table("degradation")) {
    if (timed) {
      refuse_with(*table, "contact_nodes", "budget_us, which measures it", "a node_budget");
    }
    if (table->choice("rule", {"hard", "published"}, "hard") == "published") {
      d.rule = DegradationSettings::Rule::kPublished;
    }
    NumberRange part = NumberRange::between(0.0, 1.0);
    part.minimum_excluded = true;
    d.cold_ratio = table->number("cold_ratio", part, d.cold_ratio);
    d.contact_nodes = table->number("contact_nodes", NumberRange::between(0.0, 100.0), 0.0);
    fade_s = table->number("fade_s", NumberRange::between(0.0, 10.0, "s"), fade_s);
    table->finish();
  }
  d.fade_cycles = static_cast<std::uint32_t>(std::lround(fade_s * rate_hz));
  return d;
}

TraversalSettings read_traversal(const TomlTable& table, double rate_hz) {
  TraversalSettings t;
  if (table.choice("culling", {"safe", "published"}, "safe") == "published")
    t.culling = Culling::kPublished;
  t.temporal_coherence = table.boolean("temporal_coherence", true);
  t.degradation = read_degradation(table, rate_hz);
  return t;
}

ContactSettings read_settings(const TomlTable& table, double rate_hz,
                              std::optional<ContactScaling> scaling) {
  ContactSettings c;
  const bool known = read_known_stiffness(table, c);
  if (!known) {
    c.stiffness = table.number("stiffness", range_of(kSolidsParameters[kContactStiffness], "N/m"),
                               c.stiffness);
  }
  if (scaling == ContactScaling::kNone) {
    refuse_with(table, "scaling_count", "scaling = \"none\"", "a scaling that counts contacts");
  } else if (const auto count = table.optional_integer("scaling_count", 1, kLargestBudget)) {
    c.scaling_count = static_cast<std::uint32_t>(*count);
  }
  if (scaling == ContactScaling::kSmooth) {
    c.scaling_depth = table.optional_number("scaling_depth", NumberRange::positive("m"));
  } else {
    refuse_with(table, "scaling_depth", "another scaling", "scaling = \"smooth\" with it");
  }
  c.damping = table.number("damping", NumberRange::between(0.0, 1e4, "s/m"), 0.0);
  if (const auto friction = table.optional_table("friction")) {
    if (known) {
      refuse_with(*friction, "stiffness", "foundation or wall", "the stiffness of the contact");
    }
    c.friction = read_friction(*friction);
    // A sticking point needs no stiffer spring than the wall that all points share.
    if (c.wall > 0.0) c.friction.stiffness = c.wall;
  }
  c.traversal = read_traversal(table, rate_hz);
  return c;
}

/// All keys but those that name the bodies.
SceneContact read_unnamed(const TomlTable& table, double rate_hz) {
  SceneContact contact{};
  contact.scaling = read_scaling(table);
  contact.settings = read_settings(table, rate_hz, contact.scaling);
  contact.area_weights = table.boolean("area_weights", false);
  contact.budget_us = table.optional_number("budget_us", NumberRange::positive("us"));
  contact.continuous = table.boolean("continuous", false);
  if (table.has("normals")) {
    contact.normals = table.choice("normals", {"shell", "field"}, "shell") == "field"
                          ? ContactNormals::kField
                          : ContactNormals::kShell;
  }
  if (table.has("gradient")) {
    contact.gradient = table.choice("gradient", {"mirror", "direct"}, "mirror") == "direct"
                           ? ContactGradient::kDirect
                           : ContactGradient::kMirror;
  }
  contact.restitution = table.optional_number("restitution", NumberRange::between(0.0, 1.0));
  if (contact.restitution) {
    refuse_with(table, "damping", "restitution, which says what an impact takes", "one of the two");
  }
  const NumberRange arm = NumberRange::between(0.0, 1.0, "m");
  contact.rolling_friction = table.number("rolling_friction", arm, 0.0);
  contact.spinning_friction = table.number("spinning_friction", arm, 0.0);
  return contact;
}

}  // namespace

SceneContact read_contact(const TomlTable& table, const Scene& core,
                          const std::vector<SceneContact>& earlier) {
  const std::size_t points = body_named(table, "points", table.text("points"), core.bodies);
  const std::size_t field = body_named(table, "field", table.text("field"), core.bodies);
  if (table.has("two_way")) {
    table.refuse("two_way", "found for two named bodies",
                 "a second [[contact]] with points and field exchanged");
  }
  if (points == field) {
    table.refuse("field", "found the body that carries the points", "another body");
  }
  for (const SceneContact& other : earlier) {
    if (other.points == points && other.field == field) {
      table.refuse("field", "found the same pair a second time", "each pair once");
    }
  }
  SceneContact contact = read_unnamed(table, core.rate_hz);
  contact.points = points;
  contact.field = field;
  table.finish();
  return contact;
}

void add_contacts_among(const TomlTable& table, const Scene& core,
                        const std::vector<SceneJoint>& joints, bool pools,
                        std::vector<SceneContact>& contacts) {
  table.choice("among", {"free"}, "free");
  for (const char* const key : {"points", "field", "continuous"}) {
    refuse_with(table, key, "among", "the contact of two named bodies");
  }
  SceneContact contact = read_unnamed(table, core.rate_hz);
  const bool two_way = table.boolean("two_way", false);
  table.finish();
  const std::optional<double> restitution = contact.restitution;
  const std::size_t named = contacts.size();
  const auto is_free = [&](std::size_t body) { return core.bodies[body].role == BodyRole::kFree; };
  for (std::size_t later = 1; later < core.bodies.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!is_free(later) && !is_free(earlier)) continue;
      const auto names_both = [&](const SceneContact& other) {
        return std::minmax(other.points, other.field) == std::minmax(earlier, later);
      };
      const auto connects_both = [&](const SceneJoint& joint) {
        return std::minmax(joint.first, joint.second) == std::minmax(earlier, later);
      };
      if (std::ranges::any_of(std::span(contacts).first(named), names_both) ||
          std::ranges::any_of(joints, connects_both)) {
        continue;
      }
      // The held body has no mass with which it could bounce.
      const bool held = later == core.held_body() || earlier == core.held_body();
      contact.restitution = held ? std::nullopt : restitution;
      contact.points = is_free(later) ? later : earlier;
      contact.field = is_free(later) ? earlier : later;
      contacts.push_back(contact);
      if (!two_way || !is_free(earlier) || !is_free(later)) continue;
      std::swap(contact.points, contact.field);
      contacts.push_back(contact);
    }
  }
  if (contacts.size() == named) {
    table.refuse("among", "found no pair of bodies with a free one", "a body of role \"free\"");
  }
  const std::size_t most = pools ? kMostPairsOfPools : kMostPairs;
  if (contacts.size() > most) {
    table.refuse("among", fmt::format("found {} pairs of bodies", contacts.size()),
                 fmt::format("at most {}{}", most, pools ? "" : ", or dynamics.pair_capacity"));
  }
}

}  // namespace haptic::solids

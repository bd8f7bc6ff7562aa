#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "rt/contact/contact_wall.h"
#include "rt/worlds/scene_tables.h"
#include "rt/worlds/solids/solids_keys.h"
#include "rt/worlds/solids/solids_parameters.h"

namespace haptic::solids {

namespace {

using T = ContactTable;

constexpr std::int64_t kMaxCount = 1'000'000'000;  // nodes, contacts
constexpr std::size_t kMaxPairs = 20'000;
/// With dynamics.pair_capacity; a pair without a workspace takes less than 2 kB.
constexpr std::size_t kMaxPairsOfPools = 500'000;

template <class Member>
auto of_contact(Member member) {
  return inner(&T::contact, &SceneContact::settings, member);
}
template <class Member>
auto of_friction(Member member) {
  return inner(&T::contact, &SceneContact::settings, &ContactSettings::friction, member);
}
template <class... Members>
auto of_traversal(Members... members) {
  return inner(&T::contact, &SceneContact::settings, &ContactSettings::traversal, members...);
}
template <class Member>
auto of_degradation(Member member) {
  return of_traversal(&TraversalSettings::degradation, member);
}

constexpr const char* kOneStiffness =
    "one of the two: the stiffness of the contact is that of all its points";

/// Not with a stiffness of the contact as a whole.
DeclaredKey<T> for_points(DeclaredKey<T> key) {
  return std::move(key).not_with("foundation", kOneStiffness).not_with("wall", kOneStiffness);
}

DeclaredKey<T> for_named(DeclaredKey<T> key) {
  return std::move(key).not_with("among", "the contact of two named bodies");
}

const KeySchema<T>& friction_keys() {
  static const KeySchema<T> keys(
      {
          key_of<T>("static", of_friction(&FrictionSettings::static_coefficient),
                    NumberRange::between(0.0, 100.0), "Coefficient of static friction.")
              .required(),
          key_of<T>("dynamic", of_friction(&FrictionSettings::dynamic_coefficient),
                    DependentRange<T>{{},
                                      "0 to static",
                                      [](const T& t) {
                                        return NumberRange::between(
                                            0.0, t.contact.settings.friction.static_coefficient);
                                      }},
                    "Coefficient of dynamic friction.")
              .absent("static"),
          key_of<T>("stiffness", of_friction(&FrictionSettings::stiffness),
                    NumberRange::positive("N/m"), "Spring between a sticking point and its anchor.")
              .absent("that of the contact")
              .only_if([](const T& t) { return !t.has_known_stiffness(); },
                       "found together with foundation or wall", "the stiffness of the contact"),
      },
      [](const TomlTable& table, T& t) {
        FrictionSettings& f = t.contact.settings.friction;
        if (!table.has("dynamic")) f.dynamic_coefficient = f.static_coefficient;
        // A sticking point needs no stiffer spring than the wall that all points share.
        if (t.contact.settings.wall > 0.0) f.stiffness = t.contact.settings.wall;
      });
  return keys;
}

const KeySchema<T>& degradation_keys() {
  using D = DegradationSettings;
  static const KeySchema<T> keys({
      key_of<T>("rule", of_degradation(&D::rule),
                KeyWords<D::Rule>{{"hard", D::Rule::kHard}, {"published", D::Rule::kPublished}},
                "Whether a level is entered only if all of it fits into the budget, or if what "
                "came before fits."),
      key_of<T>("cold_ratio", of_degradation(&D::cold_ratio), NumberRange::positive_up_to(1.0),
                "Budget of a level that the last cycle did not render, over that of one that it "
                "did."),
      key_of<T>("contact_nodes", of_degradation(&D::contact_nodes),
                NumberRange::between(0.0, 100.0),
                "Nodes for which a contact counts in addition to its visit, with rule = \"hard\"; "
                "only with node_budget.")
          .absent("0; measured with budget_us")
          .only_if([](const T& t) { return !t.contact.budget_us; },
                   "found together with budget_us, which measures it", "a node_budget"),
      key("fade_s", &T::fade_s, NumberRange::between(0.0, 10.0, "s"),
          "Shortest fade of the force after a change of levels."),
  });
  return keys;
}

std::vector<DeclaredKey<T>> all_contact_keys() {
  const auto counts = [](const T& t) { return t.contact.scaling != ContactScaling::kNone; };
  const auto is_smooth = [](const T& t) { return t.contact.scaling == ContactScaling::kSmooth; };
  return {
      key("among", &T::among, {{"free", true}},
          "\"free\": every pair with a free body that no other contact names and no joint "
          "connects; instead of points and field.")
          .absent("points and field"),
      key("two_way", &T::two_way,
          "Whether the points of both of two free bodies touch the field of the other; only "
          "with among.")
          .only_if(&T::among, "found for two named bodies",
                   "a second [[contact]] with points and field exchanged"),
      for_named(key("points", &T::points, "Name of the body that has the points."))
          .required_if([](const TomlTable&, const T& t) { return !t.among; }, "required, or among"),
      for_named(key("field", &T::field, "Name of the body that has the distance field."))
          .required_if([](const TomlTable&, const T& t) { return !t.among; }, "required, or among"),
      for_points(
          key_of<T>("stiffness", of_contact(&ContactSettings::stiffness),
                    range_of(kSolidsParameters[kContactStiffness], "N/m"),
                    "Force of one point per metre of its depth; haptic set changes that of all "
                    "pairs."))
          .sets("contact.stiffness"),
      key("foundation", &T::foundation, NumberRange::positive_up_to(1e13, "N/m^3"),
          "Pressure per metre of depth: a point has the stiffness of the surface area that it "
          "stands for; instead of stiffness and scaling."),
      key_of<T>("wall", of_contact(&ContactSettings::wall), NumberRange::positive_up_to(1e6, "N/m"),
                "Force over depth of the whole contact, however many points touch; instead of "
                "stiffness and scaling, only with implicit contact.")
          .absent("none")
          .not_with("foundation", kOneStiffness),
      for_points(key_of<T>("scaling", inner(&T::contact, &SceneContact::scaling),
                           KeyWords<ContactScaling>{{"published", ContactScaling::kPublished},
                                                    {"smooth", ContactScaling::kSmooth},
                                                    {"per-site", ContactScaling::kPerSite},
                                                    {"none", ContactScaling::kNone}},
                           "How the force of a point is scaled down where many touch: by their "
                           "number, smoothly, for each connected patch, or not at all."))
          .absent("published; none with a free body"),
      for_points(key_of<T>("scaling_count", of_contact(&ContactSettings::scaling_count),
                           IntegerRange{1, kMaxCount},
                           "Number of touching points up to which forces are not scaled; not with "
                           "scaling = \"none\"."))
          .only_if(counts, "found together with scaling = \"none\"",
                   "a scaling that counts contacts"),
      for_points(key_of<T>("scaling_depth", of_contact(&ContactSettings::scaling_depth),
                           NumberRange::positive("m"),
                           "Depth at which a point counts fully; only with scaling = \"smooth\"."))
          .absent("1/20 of the field's voxel")
          .only_if(is_smooth, "found together with another scaling",
                   "scaling = \"smooth\" with it"),
      key_of<T>("damping", of_contact(&ContactSettings::damping),
                NumberRange::between(0.0, 1e4, "s/m"),
                "The force of a point is multiplied by 1 + damping times the rate of its depth.")
          .not_with("restitution", "one of the two",
                    "found together with restitution, which says what an impact takes"),
      key_of<T>("restitution", inner(&T::contact, &SceneContact::restitution),
                NumberRange::between(0.0, 1.0),
                "Speed after an impact of two rigid bodies over that before; with among not for "
                "the held body. Not with damping.")
          .absent("that of the springs"),
      table("friction", friction_keys(), "Coulomb friction of every touching point.")
          .absent("none"),
      key_of<T>("rolling_friction", inner(&T::contact, &SceneContact::rolling_friction),
                NumberRange::between(0.0, 1.0, "m"),
                "Arm of the torque against rolling: the torque is this times the normal force; "
                "rigid bodies only."),
      key_of<T>("spinning_friction", inner(&T::contact, &SceneContact::spinning_friction),
                NumberRange::between(0.0, 1.0, "m"), "The same against turning about the normal."),
      for_points(key_of<T>("area_weights", inner(&T::contact, &SceneContact::area_weights),
                           AnyValue{},
                           "Whether points are weighted by the surface area that they stand for; "
                           "the model needs shell area_weights.")),
      key_of<T>("normals", inner(&T::contact, &SceneContact::normals),
                KeyWords<ContactNormals>{{"shell", ContactNormals::kShell},
                                         {"field", ContactNormals::kField}},
                "Direction of a point's force: its own normal, or the gradient of the field.")
          .absent("field for a free body and where the field is smoother than the points, else "
                  "shell"),
      key_of<T>("gradient", inner(&T::contact, &SceneContact::gradient),
                KeyWords<ContactGradient>{{"mirror", ContactGradient::kMirror},
                                          {"direct", ContactGradient::kDirect}},
                "Derivative of the contact wrench that the coupling uses; only with explicit "
                "contact.")
          .absent("coupling.contact_gradient"),
      key_of<T>("culling", of_traversal(&TraversalSettings::culling),
                KeyWords<Culling>{{"safe", Culling::kSafe}, {"published", Culling::kPublished}},
                "How subtrees of points are skipped; with published, shallow points can be "
                "missed."),
      key_of<T>("temporal_coherence", of_traversal(&TraversalSettings::temporal_coherence),
                AnyValue{},
                "Whether subtrees that are known to be free are skipped until something comes "
                "near."),
      for_points(key_of<T>("budget_us", inner(&T::contact, &SceneContact::budget_us),
                           NumberRange::positive("us"),
                           "Time of this contact in a cycle, beyond which finer levels are left "
                           "out."))
          .absent("no limit"),
      for_points(key_of<T>("node_budget", of_degradation(&DegradationSettings::warm_nodes),
                           IntegerRange{1, kMaxCount, "nodes"},
                           "Nodes of the point tree in a cycle, beyond which finer levels are left "
                           "out; not with budget_us."))
          .absent("no limit")
          .not_with("budget_us"),
      table("degradation", degradation_keys(), "How finer levels are left out; only with a budget.")
          .only_if(&T::has_budget, "found together with no budget",
                   "node_budget or budget_us with it"),
      for_named(key_of<T>("continuous", inner(&T::contact, &SceneContact::continuous), AnyValue{},
                          "Whether the motion between two cycles is tested, too, so that fast "
                          "bodies do not pass through each other; not with among.")),
  };
}

/// What follows from the keys of a table.
void finish_contact(const TomlTable& table, T& t) {
  ContactSettings& s = t.contact.settings;
  s.foundation = t.foundation.has_value();
  if (s.foundation) s.stiffness = *t.foundation;
  if (s.wall > 0.0) s.stiffness = ContactWall::kPointRatio * s.wall;
  if (table.has("scaling_count") && !t.contact.scaling) {
    t.contact.scaling = ContactScaling::kPublished;
  }
}

/// The contact of a table, without its bodies.
SceneContact unnamed_contact(const ContactTable& read, double rate_hz) {
  SceneContact contact = read.contact;
  if (read.has_budget()) {
    contact.settings.traversal.degradation.fade_cycles =
        static_cast<std::uint32_t>(std::lround(read.fade_s * rate_hz));
  }
  return contact;
}

}  // namespace

const KeySchema<ContactTable>& contact_keys() {
  static const KeySchema<T> keys(all_contact_keys(), finish_contact);
  return keys;
}

SceneContact named_contact(const TomlTable& table, const ContactTable& read, const Scene& core,
                           const std::vector<SceneContact>& earlier) {
  SceneContact contact = unnamed_contact(read, core.rate_hz);
  contact.points = body_named(table, "points", read.points, core.bodies);
  contact.field = body_named(table, "field", read.field, core.bodies);
  if (contact.points == contact.field) {
    table.refuse("field", "found the body that carries the points", "another body");
  }
  for (const SceneContact& other : earlier) {
    if (other.points == contact.points && other.field == contact.field) {
      table.refuse("field", "found the same pair a second time", "each pair once");
    }
  }
  return contact;
}

void add_contacts_among(const TomlTable& table, const ContactTable& read, const Scene& core,
                        const std::vector<SceneJoint>& joints, bool pools,
                        std::vector<SceneContact>& contacts) {
  SceneContact contact = unnamed_contact(read, core.rate_hz);
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
      if (!read.two_way || !is_free(earlier) || !is_free(later)) continue;
      std::swap(contact.points, contact.field);
      contacts.push_back(contact);
    }
  }
  if (contacts.size() == named) {
    table.refuse("among", "found no pair of bodies with a free one", "a body of role \"free\"");
  }
  const std::size_t most = pools ? kMaxPairsOfPools : kMaxPairs;
  if (contacts.size() > most) {
    table.refuse("among", fmt::format("found {} pairs of bodies", contacts.size()),
                 fmt::format("at most {}{}", most, pools ? "" : ", or dynamics.pair_capacity"));
  }
}

}  // namespace haptic::solids

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "rt/geometry/analytic_field.h"
#include "rt/worlds/cloth/contact/field_contacts.h"
#include "tests/rt/worlds/cloth/contact/contact_samples.h"

namespace haptic::cloth {

inline constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// A cloth and a body with a field, as a world has them.
struct ClothOnField {
  static constexpr std::array<std::uint32_t, 1> kDimensions{6};
  SampleCloth cloth;
  AnalyticField field;
  ClothSites sites;
  BoxHierarchy hierarchy;
  FieldContacts contacts;
  ContactStep step;
  FieldContacts::Body body;

  ClothOnField(SampleCloth of, const AnalyticShape& shape, const FieldContacts::Settings& settings,
               double spacing = kNowhere, ContactStepSettings bounds = tight_contact())
      : cloth(std::move(of)),
        field(shape),
        sites(cloth.mesh.triangles, cloth.state.x, spacing),
        hierarchy(cloth.mesh.triangles, cloth.state.x, {}),
        contacts(sites, field, settings),
        step(cloth.system, kStep, bounds, kDimensions) {
    const Matrix6 I = Matrix6::Identity();
    const Vector6 none = Vector6::Zero();
    step.set_partner(0, {I.data(), 36}, {none.data(), 6});
  }
  void find() {
    ASSERT_EQ(hierarchy.refit(cloth.state.x), UpdateResult::kDone);
    contacts.find(hierarchy, cloth.state, body, kStep);
  }
  void advance(const FieldContacts::Partner& partner = {}) {
    find();
    step.clear();
    ASSERT_TRUE(contacts.add_to(step, partner));
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    contacts.settle(step);
  }
  /// After a step: energy of the cloth and of the contacts [J].
  double energy() {
    double sum = cloth.system.energy(cloth.state);
    for (std::size_t k = 0; k < sites.size(); ++k) {
      const Vector3 p = body.pose.to_material(sites.at_site(k, cloth.state.x));
      const double depth = std::max(0.0, -field.distance(p));
      sum += 0.5 * contacts.adjustable().stiffness * depth * depth;
    }
    return sum;
  }
};

}  // namespace haptic::cloth

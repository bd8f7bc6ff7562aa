#include "rt/worlds/solids/solids_probe.h"

#include "rt/worlds/solids/solids_world.h"

namespace haptic::solids {

namespace {

class SolidsProbe final : public ContactProbe {
 public:
  // Forces and gradients of the poses given, also where the world takes those of a step's end.
  explicit SolidsProbe(const Scene& scene) : world_(scene, nullptr), grasp_(scene.coupling.grasp) {
    for (ContactSet::Pair& pair : world_.contacts().pairs()) pair.contact.set_end_of_step(false);
  }

  std::size_t dimension(std::size_t body) const override { return world_.model(body).dimension(); }

  ProbedContacts touch(std::span<const ProbedBody> bodies, bool every_point) override {
    std::vector<BodyMotion> motions;
    for (const ProbedBody& body : bodies) motions.push_back({.pose = body.pose, .q = body.q});
    motions[world_.held_body()].grasp = grasp_;
    ContactSet& set = world_.contacts();
    const ContactSet::Sum sum = set.touch(
        motions, every_point ? ContactSet::Search::kEveryPoint : ContactSet::Search::kTree);
    ProbedContacts result;
    for (const ContactSet::Pair& pair : set.pairs()) {
      const bool per_site = pair.contact.settings().scaling == ContactScaling::kPerSite;
      for (const Contact& contact : pair.contact.contacts()) {
        result.contacts.push_back({pair.points, pair.field, contact.point, contact.position,
                                   contact.normal, contact.depth, contact.force});
        if (per_site) result.contacts.back().site = contact.site;
      }
    }
    result.wrench = sum.wrench;
    result.gradient = sum.gradient;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const std::span<const double> force = set.reduced_force(i);
      result.reduced_forces.emplace_back(force.begin(), force.end());
    }
    result.visited_nodes = sum.visited_nodes;
    return result;
  }

 private:
  SolidsWorld world_;
  Grasp grasp_;
};

}  // namespace

std::unique_ptr<ContactProbe> make_solids_probe(const Scene& scene) {
  return std::make_unique<SolidsProbe>(scene);
}

}  // namespace haptic::solids

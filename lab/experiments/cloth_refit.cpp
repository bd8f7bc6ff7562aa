// Tables 9.1 to 9.3: refits, the search for dirty leaves, filling the hash.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lab/cloth/spatial_hash.h"
#include "lab/cloth/sphere_volume.h"
#include "lab/experiments/cloth_tables.h"
#include "lab/timing/call_times.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// One row of tables 9.1 to 9.3 of the text; times in ms.
struct TextUpdates {
  std::uint32_t side, triangles;
  double sphere2_updates, sphere2_ms, box2_updates, box2_ms;
  double sphere4_updates, sphere4_ms, box4_updates, box4_ms;
  double array_ms, down2_ms, down4_ms;
  double hash_ms;
  std::uint32_t nodes4;  // of a tree with four children; the text's count for 162 and 722 only
};
constexpr TextUpdates kTextUpdates[] = {
    {10, 162, 263, 0.307, 323, 0.408, 190, 0.285, 247, 0.378, 0.116, 0.153, 0.141, 1.368, 247},
    {20, 722, 1191, 1.759, 1443, 2.429, 832, 1.1531, 1063, 2.257, 0.652, 0.922, 0.799, 6.071, 1063},
    {30, 1682, 2506, 4.68, 3355, 7.429, 1887, 4.442, 2675, 7.216, 1.722, 2.2277, 1.99, 13.185,
     2681},
    {40, 3042, 3185, 7.211, 5341, 13.569, 2162, 6.36, 3865, 11.205, 2.871, 3.914, 3.346, 23.76,
     4407},
    {50, 4802, 6433, 13.65, 9401, 22.686, 4284, 12.907, 6727, 20.729, 4.537, 5.4, 5.15, 39.998,
     6873},
};

/// Leaves that their triangle has left, by both searches.
template <class Volume>
class DirtyLeaves {
 public:
  DirtyLeaves(const cloth::VolumeHierarchy<Volume>& tree, const cloth::ParticleVectors& x)
      : tree_(tree), x_(x) {
    found_.reserve(tree.topology().leaves().size());
  }
  const std::vector<std::uint32_t>& by_array() {
    found_.clear();
    for (const std::uint32_t leaf : tree_.topology().leaves()) add_if_dirty(leaf);
    return found_;
  }
  const std::vector<std::uint32_t>& top_down() {
    found_.clear();
    descend(0);
    return found_;
  }

 private:
  void descend(std::uint32_t node) {
    const cloth::HierarchyTopology& nodes = tree_.topology();
    if (nodes.is_leaf(node)) return add_if_dirty(node);
    const std::uint32_t first = nodes.first_child(node);
    for (std::uint32_t k = 0; k < nodes.child_count(node); ++k) descend(first + k);
  }
  void add_if_dirty(std::uint32_t leaf) {
    const cloth::HierarchyTopology& nodes = tree_.topology();
    const Volume& volume = tree_.volume(leaf);
    for (const std::uint32_t i : nodes.triangles()[nodes.triangle(leaf)]) {
      if (contains(volume, cloth::at(x_, i))) continue;
      found_.push_back(leaf);
      return;
    }
  }

  const cloth::VolumeHierarchy<Volume>& tree_;
  const cloth::ParticleVectors& x_;
  std::vector<std::uint32_t> found_;
};

/// A tree along the fall of a cloth.
template <class Volume>
class MeasuredTree {
 public:
  MeasuredTree(const FallingCloth& cloth, std::uint32_t branching)
      : x_(cloth.x()),
        tree_(cloth.mesh().triangles, x_, {.branching = branching, .inflation = 0}) {}

  void step() {
    DirtyLeaves<Volume> dirty(tree_, x_);
    array_.time([&] { count_ = dirty.by_array().size(); });
    std::vector<std::uint32_t> by_array = dirty.by_array(), top_down;
    down_.time([&] { count_ = dirty.top_down().size(); });
    top_down = dirty.top_down();
    std::ranges::sort(top_down);
    differing_ += by_array == top_down ? 0 : 1;
    cloth::UpdateResult result{};
    refit_.time([&] { result = tree_.refit(x_); });
    if (result != cloth::UpdateResult::kDone)
      throw OperationError("refit: a position is not finite");
    updates_ += tree_.updated().size();
    most_ = std::max(most_, tree_.updated().size());
    ++steps_;
  }
  std::size_t size() const { return tree_.topology().size(); }
  double mean_updates() const { return static_cast<double>(updates_) / steps_; }
  std::size_t most_updates() const { return most_; }
  std::size_t differing() const { return differing_; }
  const CallTimes& refit() const { return refit_; }
  const CallTimes& array() const { return array_; }
  const CallTimes& down() const { return down_; }

 private:
  const cloth::ParticleVectors& x_;
  cloth::VolumeHierarchy<Volume> tree_;
  CallTimes refit_, array_, down_;
  std::size_t updates_ = 0, most_ = 0, differing_ = 0, count_ = 0;
  int steps_ = 0;
};

std::string us(const CallTimes& times) {
  return fmt::format("{:.2f}", times.timing().median);
}

/// Slope of log(y) over log(x) by least squares.
double logarithmic_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = std::log(x[i]), v = std::log(y[i]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

class UpdateTables {
 public:
  explicit UpdateTables(Experiment& experiment) : experiment_(experiment) {}

  void measure(const TextUpdates& text, int steps) {
    FallingCloth cloth(text.side);
    MeasuredTree<lab::SphereVolume> sphere2(cloth, 2), sphere4(cloth, 4);
    MeasuredTree<cloth::BoxVolume> box2(cloth, 2), box4(cloth, 4);
    lab::SpatialHash hash(cloth.mesh().triangles, cloth.x());
    CallTimes filling;
    for (int k = 0; k < steps; ++k) {
      cloth.step();
      sphere2.step();
      box2.step();
      sphere4.step();
      box4.step();
      cloth::UpdateResult result{};
      filling.time([&] { result = hash.update(cloth.x()); });
      if (result != cloth::UpdateResult::kDone)
        throw OperationError("hash: a position is out of range");
    }
    const auto row = [&](const char* tree, const auto& of, double updates, double ms) {
      refits_.add({fmt::format("{}", text.triangles), tree, fmt::format("{}", of.size()),
                   fmt::format("{:.1f}", of.mean_updates()), fmt::format("{}", of.most_updates()),
                   fmt::format("{:g}", updates),
                   fmt::format("{:.3f}", of.mean_updates() / static_cast<double>(of.size())),
                   fmt::format("{:.3f}", updates / static_cast<double>(of.size())), us(of.refit()),
                   fmt::format("{:.2f}", of.refit().timing().p99), fmt::format("{:g}", 1e3 * ms)});
    };
    row("spheres, 2", sphere2, text.sphere2_updates, text.sphere2_ms);
    row("boxes, 2", box2, text.box2_updates, text.box2_ms);
    row("spheres, 4", sphere4, text.sphere4_updates, text.sphere4_ms);
    row("boxes, 4", box4, text.box4_updates, text.box4_ms);
    add_ratios(text, sphere2, sphere4, box2, box4);
    add_search(text, "boxes", box2, box4);
    add_search(text, "spheres", sphere2, sphere4);
    triangles_.push_back(text.triangles);
    hash_us_.push_back(filling.timing().median);
    hashes_.add({fmt::format("{}", text.triangles), us(filling),
                 fmt::format("{:.2f}", filling.timing().p99),
                 fmt::format("{:g}", 1e3 * text.hash_ms),
                 fmt::format("{:.1f}", 1e3 * filling.timing().median / text.triangles),
                 fmt::format("{:.0f}", 1e6 * text.hash_ms / text.triangles),
                 fmt::format("{:.2f}", filling.timing().median / box4.refit().timing().median),
                 fmt::format("{:.2f}", text.hash_ms / text.box4_ms)});
    check(text, sphere2, sphere4, box2, box4);
  }

  void report(int steps) {
    const std::string over = fmt::format("{} steps of a cloth that falls from two corners", steps);
    experiment_.report("Table 9.1: updated nodes and time of a refit [us], " + over, refits_,
                       "refit");
    experiment_.report("Table 9.1, ratios", ratios_, "ratios");
    experiment_.report("Table 9.2: leaves that their triangle has left [us], " + over, searches_,
                       "search");
    experiment_.report("Table 9.3: filling the hash [us], " + over, hashes_, "hash");
    // Times of a short run beside others mean nothing.
    if (experiment_.quick()) return;
    const double slope = logarithmic_slope(triangles_, hash_us_);
    experiment_.at_least("T49 time of the hash over triangles, slope", slope, 0.85);
    experiment_.at_most("T49 time of the hash over triangles, slope", slope, 1.15);
    double sum = 0.0;
    for (const double ratio : search_ratios_) sum += ratio;
    experiment_.at_least("T45 top-down search over the array, mean of the table",
                         sum / static_cast<double>(search_ratios_.size()), 1.0);
  }

 private:
  using Spheres = MeasuredTree<lab::SphereVolume>;
  using Boxes = MeasuredTree<cloth::BoxVolume>;

  void add_ratios(const TextUpdates& text, const Spheres& sphere2, const Spheres& sphere4,
                  const Boxes& box2, const Boxes& box4) {
    const auto saved = [](double four, double two) {
      return fmt::format("{:.1f} %", 100.0 * (1.0 - four / two));
    };
    const auto over = [](const auto& a, const auto& b) {
      return fmt::format("{:.2f}", a.refit().timing().median / b.refit().timing().median);
    };
    ratios_.add({fmt::format("{}", text.triangles),
                 saved(sphere4.mean_updates(), sphere2.mean_updates()),
                 saved(text.sphere4_updates, text.sphere2_updates),
                 saved(box4.mean_updates(), box2.mean_updates()),
                 saved(text.box4_updates, text.box2_updates), over(box2, sphere2),
                 fmt::format("{:.2f}", text.box2_ms / text.sphere2_ms), over(box4, sphere4),
                 fmt::format("{:.2f}", text.box4_ms / text.sphere4_ms)});
  }

  template <class Tree>
  void add_search(const TextUpdates& text, const char* volume, const Tree& two, const Tree& four) {
    // The same search of both trees, whose numbers of leaves are equal.
    const double array = 0.5 * (two.array().timing().median + four.array().timing().median);
    const double by2 = two.down().timing().median / array;
    const double by4 = four.down().timing().median / array;
    search_ratios_.push_back(by2);
    search_ratios_.push_back(by4);
    searches_.add({fmt::format("{}", text.triangles), volume, fmt::format("{:.2f}", array),
                   us(two.down()), us(four.down()), fmt::format("{:.2f}", by2),
                   fmt::format("{:.2f}", text.down2_ms / text.array_ms), fmt::format("{:.2f}", by4),
                   fmt::format("{:.2f}", text.down4_ms / text.array_ms)});
  }

  void check(const TextUpdates& text, const Spheres& sphere2, const Spheres& sphere4,
             const Boxes& box2, const Boxes& box4) {
    const auto equal = [&](const std::string& what, double value, double expected) {
      experiment_.at_most(fmt::format("{} triangles: {}", text.triangles, what),
                          std::abs(value - expected), 0.0);
    };
    const double n = text.triangles;
    equal("T39 nodes with two children - (2 n - 1)", double(box2.size()), 2.0 * n - 1.0);
    equal("T40 nodes with four children - the text's", double(box4.size()), text.nodes4);
    equal("T40 nodes of spheres, four children", double(sphere4.size()), text.nodes4);
    // Only where the text's counts are those of all nodes.
    if (text.box4_updates == text.nodes4) {
      equal("T44 most updates of boxes, 4 - the text's", double(box4.most_updates()),
            text.box4_updates);
      equal("T44 most updates of boxes, 2 - the text's", double(box2.most_updates()),
            text.box2_updates);
    }
    const auto less = [&](const char* what, double a, double b) {
      experiment_.at_most(fmt::format("{} triangles: T44 updates, {}", text.triangles, what), a / b,
                          1.0);
    };
    less("boxes 4 over 2", box4.mean_updates(), box2.mean_updates());
    less("spheres 4 over 2", sphere4.mean_updates(), sphere2.mean_updates());
    less("spheres over boxes, 2", sphere2.mean_updates(), box2.mean_updates());
    less("spheres over boxes, 4", sphere4.mean_updates(), box4.mean_updates());
    equal("T45 steps in which the two searches differ",
          double(sphere2.differing() + sphere4.differing() + box2.differing() + box4.differing()),
          0.0);
  }

  Experiment& experiment_;
  ResultTable refits_{{"triangles", "tree", "nodes", "updates, mean", "most", "text", "of nodes",
                       "text", "us, p50", "p99", "text us"}};
  ResultTable ratios_{{"triangles", "spheres: 4 saves", "text", "boxes: 4 saves", "text",
                       "time boxes / spheres, 2", "text", "4", "text"}};
  ResultTable searches_{{"triangles", "volumes", "array us", "top-down, 2", "top-down, 4",
                         "2 / array", "text", "4 / array", "text"}};
  ResultTable hashes_{{"triangles", "us, p50", "p99", "text us", "ns a triangle", "text ns",
                       "over refit of boxes, 4", "text"}};
  std::vector<double> triangles_, hash_us_, search_ratios_;
};

}  // namespace

void report_updates(Experiment& experiment) {
  const int steps = experiment.quick() ? 100 : 2000;
  UpdateTables tables(experiment);
  for (const TextUpdates& text : kTextUpdates) {
    if (!experiment.quick() || text.side <= 30) tables.measure(text, steps);
  }
  tables.report(steps);
}

}  // namespace haptic

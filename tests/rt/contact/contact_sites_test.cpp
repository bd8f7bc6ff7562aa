// Sites of a distributed contact: which points belong together, and what it does to the forces.

#include "rt/contact/contact_sites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "shared/error.h"
#include "tests/rt/contact/plane_scene.h"

namespace haptic {
namespace {

using namespace oracle;

/// A table on `feet` feet of n x n points along x, foot i reaching down to depth(i) below z = 0;
/// points of a coarse level come first, as in a baked shell.
ShellData table(int feet, int n, const std::function<double(int)>& depth) {
  ShellData shell;
  for (const bool coarse : {true, false}) {
    for (int f = 0; f < feet; ++f) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          if ((i % 4 == 0 && j % 4 == 0) != coarse) continue;
          shell.add({f + 0.2 * i / n, 0.2 * j / n, -depth(f)}, Vector3::UnitZ());
        }
      }
    }
  }
  return shell;
}

std::vector<TouchingPoint> all_touching(const PointShell& shell) {
  std::vector<TouchingPoint> touching;
  for (std::uint32_t s = 0; s < shell.size(); ++s) touching.push_back({s, 1, -1e-3});
  return touching;
}

TEST(ContactSites, twelve_feet_are_twelve_sites) {
  const ShellData shell = table(12, 16, [](int) { return 0.0; });
  const PlaneScene scene(shell, nested_tree(shell, {12 * 16, shell.size()}));
  ContactSites sites(scene.shell, scene.tree);
  const auto touching = all_touching(scene.shell);
  std::vector<std::uint32_t> site(touching.size());
  ASSERT_EQ(sites.group(touching, 2, site), 12u);
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < scene.shell.size(); ++s) {
    const auto foot = static_cast<std::uint32_t>(scene.shell.rest_position(s).x());
    EXPECT_EQ(site[s], foot);  // coarse points come foot by foot
    EXPECT_LE(site[s], most + 1);
    most = std::max(most, site[s]);
  }
}

TEST(ContactSites, points_between_two_patches_make_them_one) {
  // A strip; touching from 0 to 0.3 and from 0.7 to 1 are two sites, and one with the middle.
  ShellData shell;
  for (const int stride : {8, 1}) {
    for (int i = 0; i < 512; ++i) {
      for (int j = 0; j < 8; ++j) {
        const bool coarse = i % 8 == 0 && j == 0;
        if (coarse == (stride == 8)) shell.add({i / 512.0, j / 512.0, 0.0}, Vector3::UnitZ());
      }
    }
  }
  const PlaneScene scene(shell, nested_tree(shell, {64, shell.size()}));
  ContactSites sites(scene.shell, scene.tree);
  const auto count = [&](double gap_begin, double gap_end) {
    std::vector<TouchingPoint> touching;
    for (std::uint32_t s = 0; s < scene.shell.size(); ++s) {
      const double x = scene.shell.rest_position(s).x();
      if (x < gap_begin || x > gap_end) touching.push_back({s, 1, -1e-3});
    }
    std::vector<std::uint32_t> site(touching.size());
    return sites.group(touching, 2, site);
  };
  EXPECT_EQ(count(0.3, 0.7), 2u);
  EXPECT_EQ(count(2.0, 2.0), 1u);
  EXPECT_EQ(count(0.5, 0.505), 1u);  // less than a cell
  EXPECT_EQ(count(-1.0, 2.0), 0u);
}

TEST(ContactSites, the_two_sides_of_a_sheet_are_two_sites) {
  ShellData shell;
  for (const bool coarse : {true, false}) {
    for (const double side : {1.0, -1.0}) {
      for (int i = 0; i < 32; ++i) {
        for (int j = 0; j < 32; ++j) {
          if ((i % 4 == 0 && j % 4 == 0) != coarse) continue;
          shell.add({i / 32.0, j / 32.0, 0.04 * side}, -side * Vector3::UnitZ());
        }
      }
    }
  }
  const PlaneScene scene(shell, nested_tree(shell, {128, shell.size()}));
  ContactSites sites(scene.shell, scene.tree);
  const auto touching = all_touching(scene.shell);
  std::vector<std::uint32_t> site(touching.size());
  EXPECT_EQ(sites.group(touching, 2, site), 2u);
}

TEST(ContactSites, a_traversal_that_stops_above_the_cells_groups_by_their_ancestors) {
  // Level 2 has the cells (256 nodes or more); a traversal that rendered level 1 alone touches a
  // sixteenth of them, too far apart to be neighbours.
  const int n = 64;
  ShellData shell;
  for (const int level : {0, 1, 2}) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int own = i % 16 == 0 && j % 16 == 0 ? 0 : i % 4 == 0 && j % 4 == 0 ? 1 : 2;
        if (own == level) shell.add({i / 64.0, j / 64.0, 0.0}, Vector3::UnitZ());
      }
    }
  }
  const PlaneScene scene(shell, nested_tree(shell, {16, 256, shell.size()}));
  ContactSites sites(scene.shell, scene.tree);
  EXPECT_EQ(sites.cell_count(), 16u + 256u);
  std::vector<std::uint32_t> site(shell.size());
  for (const std::uint32_t level : {1u, 2u, 3u}) {
    const std::uint32_t rendered = level == 1 ? 16 : level == 2 ? 256 : shell.size();
    auto touching = all_touching(scene.shell);
    touching.resize(rendered);
    EXPECT_EQ(sites.group(touching, level, {site.data(), rendered}), 1u) << "level " << level;
  }
}

TEST(ContactSites, every_site_is_scaled_by_the_count_of_its_contacts) {
  // Twelve feet at twelve depths: per site, each pushes k L depth; together, one scale for all
  // leaves a twelfth.
  const auto depth = [](int foot) { return (foot + 1) / 4096.0; };  // exact in float
  const ShellData shell = table(12, 16, depth);
  const PlaneScene scene(shell, nested_tree(shell, {12 * 16, shell.size()}));
  ContactSettings settings;
  settings.scaling = ContactScaling::kPerSite;
  ContactPair pair = scene.pair(settings);
  const ContactResult& result = pair.evaluate(BodyMotion(), BodyMotion());
  ASSERT_EQ(result.contacts, 12u * 256u);
  std::vector<double> force(12, 0.0);
  for (const Contact& c : pair.contacts()) force[c.site] += c.force.z();
  double total = 0.0;
  for (int f = 0; f < 12; ++f) {
    EXPECT_NEAR(force[static_cast<std::size_t>(f)], 200.0 * 10.0 * depth(f), 1e-9);
    total += 200.0 * 10.0 * depth(f);
  }
  EXPECT_NEAR(result.on_held.force.z(), total, 1e-9);
  EXPECT_NEAR(result.gradient(2, 2), -12 * 200.0 * 10.0, 1e-6);
  ContactPair published = scene.pair(ContactSettings());
  EXPECT_NEAR(published.evaluate(BodyMotion(), BodyMotion()).on_held.force.z(), total / 12.0, 1e-9);
  // One foot alone: the two laws agree.
  const BodyMotion lifted = standing_at({0.0, 0.0, 11.5 / 4096.0});
  const double one = pair.evaluate(lifted, BodyMotion()).on_held.force.z();
  EXPECT_NEAR(published.evaluate(lifted, BodyMotion()).on_held.force.z(), one, 1e-12);
  EXPECT_NEAR(one, 200.0 * 10.0 * 0.5 / 4096.0, 1e-9);
}

TEST(ContactSites, refuses_a_tree_of_leaves) {
  const PlaneScene scene(cube_face(0.1, 20));
  EXPECT_THROW(ContactSites(scene.shell, scene.tree), InputError);
}

}  // namespace
}  // namespace haptic

#include "rt/bodies/cloth_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "host/artifact/model_writer.h"
#include "shared/error.h"

namespace haptic {
namespace {

using testing::HasSubstr;

/// The sections of a model of 3 x 3 particles, as vectors that a test changes.
struct Sections {
  std::vector<double> vertices, masses, rest, stiffness, damping, bending;
  std::vector<std::uint32_t> triangles, quads, grid, ends;
  std::vector<std::uint8_t> kind;

  explicit Sections(SpringTopology topology = SpringTopology::kThreeKinds) {
    const ClothMesh mesh = make_grid({3, 3}, 0.2, 0.4);
    SpringMaterials materials;
    for (std::size_t k = 0; k < kSpringKinds; ++k) {
      materials[k] = {.stiffness = 10.0 + static_cast<double>(k), .damping = 0.25, .bending = 0.5};
    }
    const Springs springs = make_springs(mesh, topology, materials);
    for (const auto& p : mesh.vertices) vertices.insert(vertices.end(), p.begin(), p.end());
    for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    for (const auto& q : mesh.quads) quads.insert(quads.end(), q.begin(), q.end());
    grid = {3, 3};
    masses = uniform_masses(0.9, 9);
    for (std::size_t s = 0; s < springs.size(); ++s) {
      ends.insert(ends.end(), {springs.first[s], springs.second[s]});
      kind.push_back(static_cast<std::uint8_t>(springs.kind[s]));
    }
    rest = springs.rest;
    stiffness = springs.stiffness;
    damping = springs.damping;
    bending = springs.bending;
  }
  void write(const std::filesystem::path& path) const {
    ModelWriter writer(path);
    writer.add("/surface/vertices", vertices, {vertices.size() / 3, 3});
    writer.add("/surface/triangles", triangles, {triangles.size() / 3, 3});
    if (!masses.empty()) writer.add("/cloth/masses", masses, {masses.size()});
    if (!quads.empty()) writer.add("/cloth/quads", quads, {quads.size() / 4, 4});
    if (!grid.empty()) writer.add("/cloth/grid", grid, {2});
    writer.add("/cloth/springs/particles", ends, {ends.size() / 2, 2});
    writer.add("/cloth/springs/kind", kind, {kind.size()});
    writer.add("/cloth/springs/rest", rest, {rest.size()});
    writer.add("/cloth/springs/stiffness", stiffness, {stiffness.size()});
    if (!damping.empty()) writer.add("/cloth/springs/damping", damping, {damping.size()});
    writer.add("/cloth/springs/bending", bending, {bending.size()});
    writer.commit();
  }
};

class ClothModelTest : public testing::Test {
 protected:
  ClothModelTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("haptic_cloth_model_" + std::to_string(getpid()))),
        path(folder_ / "m.h5") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ClothModelTest() override { std::filesystem::remove_all(folder_); }

  std::string refusal(const std::function<void(Sections&)>& change,
                      ModelFile::Hashes hashes = ModelFile::Hashes::kCheck) {
    Sections sections;
    change(sections);
    sections.write(path);
    try {
      read_cloth_model(ModelFile(path, hashes));
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("m.h5: /"));
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path folder_;

 protected:
  std::filesystem::path path;
};

TEST_F(ClothModelTest, what_was_written_is_read_unchanged) {
  for (const SpringTopology topology :
       {SpringTopology::kThreeKinds, SpringTopology::kChoiKo, SpringTopology::kEdges}) {
    const Sections sections(topology);
    sections.write(path);
    const ClothModel cloth = read_cloth_model(ModelFile(path));
    const ClothMesh mesh = make_grid({3, 3}, 0.2, 0.4);
    EXPECT_EQ(cloth.mesh.vertices, mesh.vertices);
    EXPECT_EQ(cloth.mesh.triangles, mesh.triangles);
    EXPECT_EQ(cloth.mesh.quads, mesh.quads);
    ASSERT_TRUE(cloth.mesh.grid);
    EXPECT_EQ(cloth.mesh.grid->nx, 3u);
    EXPECT_EQ(cloth.mesh.grid->ny, 3u);
    EXPECT_EQ(cloth.masses, sections.masses);
    ASSERT_EQ(cloth.springs.size(), sections.kind.size());
    for (std::size_t s = 0; s < cloth.springs.size(); ++s) {
      EXPECT_EQ(cloth.springs.first[s], sections.ends[2 * s]);
      EXPECT_EQ(cloth.springs.second[s], sections.ends[2 * s + 1]);
      EXPECT_EQ(static_cast<std::uint8_t>(cloth.springs.kind[s]), sections.kind[s]);
    }
    EXPECT_EQ(cloth.springs.rest, sections.rest);
    EXPECT_EQ(cloth.springs.stiffness, sections.stiffness);
    EXPECT_EQ(cloth.springs.damping, sections.damping);
    EXPECT_EQ(cloth.springs.bending, sections.bending);
  }
}

TEST_F(ClothModelTest, a_mesh_that_is_no_grid_needs_neither_grid_nor_quads) {
  Sections sections;
  sections.grid.clear();
  sections.quads.clear();
  sections.write(path);
  const ClothModel cloth = read_cloth_model(ModelFile(path));
  EXPECT_FALSE(cloth.mesh.grid);
  EXPECT_TRUE(cloth.mesh.quads.empty());
}

TEST_F(ClothModelTest, particles_that_contradict_the_mesh_are_refused) {
  EXPECT_EQ(refusal([](Sections&) {}), "accepted");
  EXPECT_THAT(refusal([](Sections& s) { s.masses.clear(); }),
              HasSubstr("/cloth/masses: missing, expected the model of a recipe with [cloth]"));
  EXPECT_THAT(refusal([](Sections& s) { s.masses[4] = 0.0; }),
              HasSubstr("/cloth/masses: found 0 kg at particle 4, expected numbers > 0"));
  EXPECT_THAT(refusal([](Sections& s) { s.masses[0] = -0.1; }), HasSubstr("found -0.1 kg"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.grid = {9, 1};
              }),
              HasSubstr("/cloth/grid: found 9 x 1, expected sides of at least 2 particles, 9 in"));
  EXPECT_THAT(refusal([](Sections& s) { s.grid = {2, 4}; }), HasSubstr("/cloth/grid: found 2 x 4"));
  // 2^16 x 2^16 is 2^32, which overflows to 0 in 32 bits.
  EXPECT_THAT(refusal([](Sections& s) {
                s.grid = {1u << 16, 1u << 16};
              }),
              HasSubstr("/cloth/grid: found 65536 x 65536"));
  EXPECT_THAT(refusal([](Sections& s) { s.quads.resize(12); }),
              HasSubstr("/cloth/quads: found 3 quads for a grid of 3 x 3, expected its 4 cells"));
  EXPECT_THAT(refusal([](Sections& s) { std::swap(s.quads[4], s.quads[6]); }),
              HasSubstr("/cloth/quads: found 5, 2, 1, 4 in quad 1, expected 1, 2, 5, 4"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.grid.clear();
                std::swap(s.quads[1], s.quads[2]);
              }),
              HasSubstr("quad 0: corners 0, 4, 1, 3, expected two of the triangles"));
}

TEST_F(ClothModelTest, a_mesh_without_manifold_triangles_is_refused) {
  EXPECT_THAT(refusal([](Sections& s) { std::swap(s.triangles[0], s.triangles[1]); }),
              HasSubstr("m.h5: /surface and /cloth/quads: triangle 1: edge"));
  EXPECT_THAT(refusal([](Sections& s) { std::copy_n(&s.vertices[12], 3, s.vertices.begin()); }),
              HasSubstr("on a line, expected a triangle with an area"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.grid.clear();
                s.quads.clear();
                s.vertices.insert(s.vertices.end(), {1.0, 1.0, 1.0});
                s.masses.push_back(0.1);
              }),
              HasSubstr("/surface: vertex 9: no triangle has it, expected used vertices only"));
}

TEST_F(ClothModelTest, springs_that_no_cloth_has_are_refused) {
  EXPECT_THAT(refusal([](Sections& s) { s.damping.clear(); }),
              HasSubstr("/cloth/springs/damping: missing"));
  EXPECT_THAT(refusal([](Sections& s) { s.ends[5] = 9; }, ModelFile::Hashes::kSkip),
              HasSubstr("/cloth/springs/particles: found 1, 9 at spring 2, expected two particles "
                        "below 9, the smaller number first"));
  EXPECT_THAT(refusal([](Sections& s) { s.ends[5] = 9; }),
              HasSubstr("/cloth/springs/particles: found 9 at number 5, expected indices below 9"));
  EXPECT_THAT(refusal([](Sections& s) { s.ends[1] = 0; }), HasSubstr("found 0, 0 at spring 0"));
  EXPECT_THAT(refusal([](Sections& s) { std::swap(s.ends[0], s.ends[1]); }),
              HasSubstr("found 1, 0 at spring 0"));
  EXPECT_THAT(refusal([](Sections& s) {
                s.ends[6] = s.ends[0];
                s.ends[7] = s.ends[1];
              }),
              HasSubstr("/cloth/springs/particles: found two springs between 0 and 1, expected one "
                        "spring between two particles"));
  EXPECT_THAT(refusal([](Sections& s) { s.kind[3] = 5; }),
              HasSubstr("/cloth/springs/kind: found 5 at spring 3, expected kinds below 5"));
  EXPECT_THAT(refusal([](Sections& s) { s.kind[2] = 4; }),
              HasSubstr("/cloth/springs/kind: found 0 at spring 3, after an interlaced one"));
  EXPECT_THAT(refusal([](Sections& s) { s.rest[2] = 0.0; }),
              HasSubstr("/cloth/springs/rest: found 0 at spring 2, expected numbers > 0"));
  EXPECT_THAT(refusal([](Sections& s) { s.stiffness[7] = -1.0; }),
              HasSubstr("/cloth/springs/stiffness: found -1 at spring 7, expected numbers >= 0"));
  EXPECT_THAT(refusal([](Sections& s) { s.damping[1] = -0.5; }),
              HasSubstr("/cloth/springs/damping: found -0.5 at spring 1"));
  EXPECT_THAT(refusal([](Sections& s) { s.bending[0] = -2.0; }),
              HasSubstr("/cloth/springs/bending: found -2 at spring 0"));
}

// The check of a file finds them, but a host tool may skip it with the hashes.
TEST_F(ClothModelTest, numbers_that_are_not_finite_are_refused_without_hashes) {
  for (auto Sections::*constants : {&Sections::masses, &Sections::rest, &Sections::stiffness,
                                    &Sections::damping, &Sections::bending}) {
    Sections sections;
    const double mark = 0.765432123456789;
    (sections.*constants)[3] = mark;
    sections.write(path);
    std::ifstream written(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(written), {}};
    const std::size_t at = bytes.find({reinterpret_cast<const char*>(&mark), sizeof mark});
    ASSERT_NE(at, std::string::npos);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::memcpy(&bytes[at], &nan, sizeof nan);
    std::ofstream(path, std::ios::binary) << bytes;
    const ModelFile file(path, ModelFile::Hashes::kSkip);
    try {
      read_cloth_model(file);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("found nan"));
    }
  }
}

}  // namespace
}  // namespace haptic

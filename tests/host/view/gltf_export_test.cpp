#include "host/view/gltf_export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "host/artifact/model_writer.h"
#include "host/log/log_writer.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A file, read back independently of the writer.
struct Glb {
  nlohmann::json json;
  std::string binary;

  explicit Glb(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    const auto word = [&](std::size_t at) {
      std::uint32_t value = 0;
      std::memcpy(&value, all.data() + at, 4);
      return value;
    };
    EXPECT_EQ(word(0), 0x46546C67u);  // "glTF"
    EXPECT_EQ(word(4), 2u);
    EXPECT_EQ(word(8), all.size());
    const std::uint32_t json_size = word(12);
    EXPECT_EQ(json_size % 4, 0u);
    EXPECT_EQ(word(20 + json_size) + 28u + json_size, all.size());
    json = nlohmann::json::parse(all.substr(20, json_size));
    binary = all.substr(28 + json_size);
  }
  std::vector<float> floats(std::size_t accessor) const {
    const auto& a = json["accessors"][accessor];
    const auto& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
    std::vector<float> values(view["byteLength"].get<std::size_t>() / 4);
    std::memcpy(values.data(), binary.data() + view["byteOffset"].get<std::size_t>(),
                4 * values.size());
    return values;
  }
};

/// A tetrahedron that one coordinate shears along x and moves along z, and a sheet of three
/// vertices that a kSurface block moves.
class GltfExportTest : public testing::Test {
 protected:
  static constexpr int kRows = 101;  // 0 to 0.1 s at 1 kHz

  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-gltf-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    {
      ModelWriter writer(folder_ / "soft.h5");
      constexpr std::array<double, 12> kX = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
      constexpr std::array<std::uint32_t, 12> kFaces = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
      std::array<float, 24> basis{};  // 12 x 2: shear by y, lift
      for (std::size_t v = 0; v < 4; ++v) {
        basis[2 * (3 * v)] = static_cast<float>(kX[3 * v + 1]);
        basis[2 * (3 * v + 2) + 1] = 1.0F;
      }
      writer.add("/surface/vertices", std::span<const double>(kX), {4, 3});
      writer.add("/surface/triangles", std::span<const std::uint32_t>(kFaces), {4, 3});
      writer.add("/surface/basis", std::span<const float>(basis), {12, 2});
      writer.commit();
    }
    ModelWriter writer(folder_ / "sheet.h5");
    constexpr std::array<double, 9> kX = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    constexpr std::array<std::uint32_t, 3> kFaces = {0, 2, 1};
    writer.add("/surface/vertices", std::span<const double>(kX), {3, 3});
    writer.add("/surface/triangles", std::span<const std::uint32_t>(kFaces), {1, 3});
    writer.commit();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::vector<double> coordinates(int row) {
    return {0.3 * std::sin(0.05 * row), 0.02 * row};
  }
  static double height(int row) { return 0.1 * std::sin(0.1 * row); }  ///< of the sheet's vertex 1

  LogReader log() const {
    LogDescription description;
    description.source = "simulate";
    description.bodies = {{"soft", folder_ / "soft.h5", 0, 0, 2, false},
                          {"sheet", folder_ / "sheet.h5", 0, 2, 0, false}};
    StateBlock surface{.name = surface_block_name(1),
                       .unit = "m",
                       .meaning = "sheet",
                       .shape = {3, 3},
                       .display = StateDisplay::kSurface};
    description.state = StateLayout({{.name = "bodies/pose",
                                      .unit = "m and 1",
                                      .meaning = "poses",
                                      .shape = {2, 7},
                                      .display = StateDisplay::kPose},
                                     {.name = "bodies/coordinates",
                                      .unit = "m kg^1/2",
                                      .meaning = "q",
                                      .shape = {2},
                                      .display = StateDisplay::kReducedCoordinates},
                                     surface});
    LogWriter writer(folder_ / "log.h5", description);
    for (int i = 0; i < kRows; ++i) {
      SampleRecord sample{};
      sample.cycle = static_cast<std::uint64_t>(i);
      sample.time_ns = 1'000'000 * i;
      const std::vector<double> q = coordinates(i);
      writer.append(sample, std::vector<double>{0.01 * i, 0,    0, 1, 0,         0, 0,  //
                                                0,        0,    0, 1, 0,         0, 0,  //
                                                q[0],     q[1],                         //
                                                0,        0,    0, 1, height(i), 0, 0, 0, 1});
    }
    writer.finish();
    return LogReader(folder_ / "log.h5");
  }

  GltfOutcome exported(const FrameTimes& times) const {
    LogFrames frames(log());
    return export_gltf(frames, {times}, folder_ / "log.glb");
  }

  /// Vertices of a node's mesh with the weights of sample `i`: what a player of the file draws.
  static std::vector<float> played(const Glb& glb, std::size_t node, std::size_t i) {
    const auto& animation = glb.json["animations"][0];
    const auto& primitive =
        glb.json["meshes"][glb.json["nodes"][node]["mesh"].get<std::size_t>()]["primitives"][0];
    std::vector<float> x = glb.floats(primitive["attributes"]["POSITION"].get<std::size_t>());
    for (const auto& channel : animation["channels"]) {
      if (channel["target"]["node"] != node || channel["target"]["path"] != "weights") continue;
      const std::size_t sampler = channel["sampler"].get<std::size_t>();
      const auto weights = glb.floats(animation["samplers"][sampler]["output"].get<std::size_t>());
      const std::size_t k = primitive["targets"].size();
      for (std::size_t j = 0; j < k; ++j) {
        const auto shape = glb.floats(primitive["targets"][j]["POSITION"].get<std::size_t>());
        for (std::size_t n = 0; n < x.size(); ++n) x[n] += weights[k * i + j] * shape[n];
      }
    }
    return x;
  }

  fs::path folder_;
};

TEST_F(GltfExportTest, morph_targets_and_weights_give_the_vertices_of_the_log) {
  const GltfOutcome outcome = exported({0.0, 100.0});
  ASSERT_EQ(outcome.samples, 11u);
  const Glb glb(folder_ / "log.glb");
  for (std::size_t i = 0; i < 11; ++i) {
    const int row = static_cast<int>(10 * i);
    const std::vector<double> q = coordinates(row);
    // Float rounding of numbers of size 1.
    const std::vector<float> soft = played(glb, 0, i);
    EXPECT_NEAR(soft[6], q[0], 1e-6) << i;  // vertex 2 = (0, 1, 0) shears by its y
    EXPECT_NEAR(soft[2], q[1], 1e-6) << i;  // all are lifted
    EXPECT_NEAR(soft[11], 1.0 + q[1], 1e-6) << i;
    // The sheet within 1/2000 of its diagonal of sqrt(2).
    EXPECT_NEAR(played(glb, 1, i)[4], height(row), 0.00071) << i;
  }
  ASSERT_EQ(outcome.sampled.size(), 1u);
  EXPECT_EQ(outcome.sampled[0].shapes, 1u);  // one vertex moves on a line
  EXPECT_LT(outcome.sampled[0].error, 0.00071);
}

TEST_F(GltfExportTest, poses_move_the_nodes) {
  exported({0.05, 100.0});
  const Glb glb(folder_ / "log.glb");
  const auto& animation = glb.json["animations"][0];
  bool found = false;
  for (const auto& channel : animation["channels"]) {
    if (channel["target"]["node"] != 0 || channel["target"]["path"] != "translation") continue;
    found = true;
    const auto& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
    const auto times = glb.floats(sampler["input"].get<std::size_t>());
    const auto places = glb.floats(sampler["output"].get<std::size_t>());
    ASSERT_EQ(times.size(), 6u);  // 0.05 s to 0.1 s
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(times[i], 0.01 * static_cast<double>(i), 1e-6);
      EXPECT_NEAR(places[3 * i], 0.5 + 0.1 * static_cast<double>(i), 1e-6);
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(GltfExportTest, accessors_stay_inside_their_chunk) {
  exported({0.0, 100.0});
  const Glb glb(folder_ / "log.glb");
  EXPECT_EQ(glb.json["buffers"][0]["byteLength"], glb.binary.size());
  for (const auto& a : glb.json["accessors"]) {
    const auto& view = glb.json["bufferViews"][a["bufferView"].get<std::size_t>()];
    const std::size_t width = a["type"] == "SCALAR" ? 1 : a["type"] == "VEC3" ? 3 : 4;
    EXPECT_EQ(view["byteLength"], 4 * width * a["count"].get<std::size_t>());
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(),
              glb.binary.size());
  }
}

TEST_F(GltfExportTest, too_many_samples_and_a_time_after_the_end_are_refused) {
  EXPECT_THROW(exported({0.0, 1e6}), InputError);
  EXPECT_THROW(exported({1.0, 25.0}), InputError);
  EXPECT_FALSE(fs::exists(folder_ / "log.glb"));
}

}  // namespace
}  // namespace haptic

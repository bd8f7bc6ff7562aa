#include "host/bake/stage_archive.h"

#include <gtest/gtest.h>

#include "host/bake/stage_key.h"
#include "host/bake/stage_results.h"

namespace haptic {
namespace {

BuiltTree sample_tree() {
  BuiltTree tree;
  tree.level_begin = {0, 1, 3};
  tree.point = {4, 5, 6};
  tree.radius = {0.5f, 0.25f, 0.0f};
  return tree;
}

TEST(StageArchive, values_are_restored) {
  LinearModes modes;
  modes.eigenvalues = Eigen::VectorXd::LinSpaced(5, 1.0, 2.0);
  modes.shapes = Eigen::MatrixXd::Random(12, 5);
  modes.solves = 3;
  const auto copy = decode_stage<LinearModes>(encode_stage(modes));
  EXPECT_EQ(copy.eigenvalues, modes.eigenvalues);
  EXPECT_EQ(copy.shapes, modes.shapes);
  EXPECT_EQ(copy.solves, 3);

  const auto tree = decode_stage<BuiltTree>(encode_stage(sample_tree()));
  EXPECT_EQ(tree.point, sample_tree().point);
  EXPECT_EQ(tree.radius, sample_tree().radius);

  using Optional = std::optional<std::vector<std::string>>;
  const Optional text = std::vector<std::string>{"a", "", "line\n"};
  EXPECT_EQ(decode_stage<Optional>(encode_stage(text)), text);
  EXPECT_EQ(decode_stage<Optional>(encode_stage(Optional())), Optional());
}

TEST(StageArchive, every_truncation_and_every_excess_is_refused) {
  auto bytes = encode_stage(sample_tree());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::byte> part(bytes.begin(),
                                      bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(decode_stage<BuiltTree>(part), OperationError) << length;
  }
  bytes.push_back(std::byte{0});
  EXPECT_THROW(decode_stage<BuiltTree>(bytes), OperationError);
}

TEST(StageArchive, an_absurd_count_is_refused_before_memory_is_taken) {
  auto bytes = encode_stage(std::vector<double>(3));
  std::fill_n(bytes.begin(), 8, std::byte{0xff});
  EXPECT_THROW(decode_stage<std::vector<double>>(bytes), OperationError);
  auto matrix = encode_stage(Eigen::MatrixXd(Eigen::MatrixXd::Zero(2, 2)));
  std::fill_n(matrix.begin() + 8, 7, std::byte{0x7f});
  EXPECT_THROW(decode_stage<Eigen::MatrixXd>(matrix), OperationError);
}

TEST(StageKey, depends_on_stage_values_and_tool) {
  const StageDigest tool{1, 1}, other{1, 2};
  const auto key = [](std::string_view stage, double value) { return StageKey(stage).add(value); };
  EXPECT_EQ(key("a", 1.0).digest(tool), key("a", 1.0).digest(tool));
  EXPECT_NE(key("a", 1.0).digest(tool), key("a", 2.0).digest(tool));
  EXPECT_NE(key("a", 1.0).digest(tool), key("b", 1.0).digest(tool));
  EXPECT_NE(key("a", 1.0).digest(tool), key("a", 1.0).digest(other));
  EXPECT_EQ(tool_digest(), tool_digest());
}

}  // namespace
}  // namespace haptic

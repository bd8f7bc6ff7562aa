#include "host/formats/basis_file.h"

#include <random>

#include "host/formats/file_bytes.h"
#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

class BasisFile : public VegaTestFolder {};

TEST_F(BasisFile, columns_come_one_after_the_other) {
  std::string bytes;
  append_value(bytes, std::int32_t{3});
  append_value(bytes, std::int32_t{2});
  for (const double value : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) append_value(bytes, value);
  const BasisMatrix matrix = read_basis(write("a.U", bytes));
  EXPECT_EQ(matrix.rows, 3u);
  EXPECT_EQ(matrix.columns, 2u);
  EXPECT_EQ(matrix.values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST_F(BasisFile, double_is_read_back_bit_for_bit_and_float_to_its_rounding) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> values(12 * 5);
  for (double& value : values) value = normal(random);
  write_basis(folder_ / "a.U", 12, 5, values);
  EXPECT_EQ(read_basis(folder_ / "a.U").values, values);
  write_basis(folder_ / "f.U", 12, 5, values, BasisPrecision::kFloat);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "f.U"), 8u + 4 * 60);
  const BasisMatrix rounded = read_basis(folder_ / "f.U");
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(rounded.values[i], static_cast<double>(static_cast<float>(values[i])));
  }
}

TEST_F(BasisFile, a_length_that_does_not_fit_the_header_is_refused) {
  std::string bytes;
  append_value(bytes, std::int32_t{2000000000});
  append_value(bytes, std::int32_t{2000000000});
  EXPECT_NE(refusal([&] { read_basis(write("a.U", bytes)); }).find("2000000000 x 2000000000"),
            std::string::npos);
  std::string negative;
  append_value(negative, std::int32_t{-1});
  append_value(negative, std::int32_t{-1});
  append_value(negative, 1.0);
  EXPECT_NE(refusal([&] { read_basis(write("b.U", negative)); }), "");
  std::string nan;
  append_value(nan, std::int32_t{1});
  append_value(nan, std::int32_t{1});
  append_value(nan, std::nan(""));
  EXPECT_NE(refusal([&] { read_basis(write("c.U", nan)); }).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace haptic

#include "host/formats/cubic_file.h"

#include <cmath>
#include <random>

#include "host/formats/file_bytes.h"
#include "rt/dynamics/reduced_energy.h"
#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

class CubicFile : public VegaTestFolder {};

ReducedPolynomials random_energy(std::uint32_t r, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ReducedPolynomials energy{r, {}, {}, {}};
  energy.quadratic.resize(distinct_count(r, 2));
  energy.cubic.resize(distinct_count(r, 3));
  energy.quartic.resize(distinct_count(r, 4));
  for (auto* values : {&energy.quadratic, &energy.cubic, &energy.quartic}) {
    for (double& value : *values) value = normal(random);
  }
  return energy;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return difference / scale;
}

TEST_F(CubicFile, energies_are_read_back_to_rounding) {
  for (const std::uint32_t r : {1u, 2u, 3u, 7u, 15u}) {
    const ReducedPolynomials energy = random_energy(r, r);
    write_cub(folder_ / "a.cub", energy);
    const CubicPolynomial again = read_cub(folder_ / "a.cub");
    ASSERT_EQ(again.energy.dimension, r);
    // Each coefficient is multiplied and divided by 1, 2, 3 or 6 and averaged over its copies.
    EXPECT_LE(again.asymmetry, 1e-14);
    EXPECT_LE(largest_difference(again.energy.quadratic, energy.quadratic), 1e-14);
    EXPECT_LE(largest_difference(again.energy.cubic, energy.cubic), 1e-14);
    EXPECT_LE(largest_difference(again.energy.quartic, energy.quartic), 1e-14);
  }
}

TEST_F(CubicFile, the_file_has_the_force_in_vegafems_layout) {
  // Evaluated as VegaFEM does it, from the bytes alone, against our force.
  constexpr std::size_t r = 6;
  const ReducedPolynomials energy = random_energy(r, 11);
  write_cub(folder_ / "a.cub", energy);
  const std::string bytes = bytes_of(folder_ / "a.cub");
  const std::size_t quadratic = r * (r + 1) / 2, cubic = r * (r + 1) * (r + 2) / 6;
  ASSERT_EQ(bytes.size(), 16 + 8 * r * (r + quadratic + cubic));
  EXPECT_EQ(value_at<std::int32_t>(bytes, 0), static_cast<int>(r));
  EXPECT_EQ(value_at<std::int32_t>(bytes, 8), static_cast<int>(quadratic));
  EXPECT_EQ(value_at<std::int32_t>(bytes, 12), static_cast<int>(cubic));

  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> q(r), force(r), stiffness(r * r);
  for (double& value : q) value = normal(random);
  const ReducedEnergy ours(r, energy.quadratic, energy.cubic, energy.quartic);
  ReducedEnergy::Workspace workspace(r);
  ours.force_and_stiffness(q, force, stiffness, workspace);
  double scale = 0.0;
  for (const double value : force) scale = std::max(scale, std::abs(value));
  for (std::size_t l = 0; l < r; ++l) {
    double sum = 0.0;
    std::size_t at = 16 + 8 * l * r;
    for (std::size_t i = 0; i < r; ++i, at += 8) sum += value_at<double>(bytes, at) * q[i];
    at = 16 + 8 * (r * r + l * quadratic);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = i; j < r; ++j, at += 8) sum += value_at<double>(bytes, at) * q[i] * q[j];
    at = 16 + 8 * (r * r + r * quadratic + l * cubic);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = i; j < r; ++j)
        for (std::size_t k = j; k < r; ++k, at += 8)
          sum += value_at<double>(bytes, at) * q[i] * q[j] * q[k];
    EXPECT_NEAR(sum, force[l], 1e-13 * scale);  // rounding of 83 terms
  }
}

TEST_F(CubicFile, a_force_without_an_energy_is_refused_with_its_asymmetry) {
  write_cub(folder_ / "a.cub", random_energy(4, 1));
  std::string bytes = bytes_of(folder_ / "a.cub");
  const double value = value_at<double>(bytes, 16 + 8) + 1e-3;  // P_01 but not P_10
  std::memcpy(bytes.data() + 16 + 8, &value, 8);
  EXPECT_NE(refusal([&] { read_cub(write("b.cub", bytes)); }).find("a force without an energy"),
            std::string::npos);
}

TEST_F(CubicFile, headers_that_do_not_fit_the_length_are_refused) {
  write_cub(folder_ / "a.cub", random_energy(3, 1));
  const std::string good = bytes_of(folder_ / "a.cub");
  EXPECT_NE(refusal([&] { read_cub(write("b.cub", good + "x")); }), "");
  EXPECT_NE(refusal([&] { read_cub(write("b.cub", std::string_view(good).substr(0, 15))); }), "");
  for (const std::int32_t r : {0, -3, 65, 2000000000}) {
    std::string bad = good;
    std::memcpy(bad.data(), &r, 4);
    EXPECT_NE(refusal([&] { read_cub(write("b.cub", bad)); }).find("1 to 64"), std::string::npos);
  }
}

}  // namespace
}  // namespace haptic

// The readers of all VegaFEM formats, on truncated and changed files.

#include <functional>
#include <random>

#include "host/formats/basis_file.h"
#include "host/formats/cubic_file.h"
#include "host/formats/interpolation_file.h"
#include "host/formats/vega_mesh.h"
#include "host/formats/vertex_list.h"
#include "rt/dynamics/reduced_energy.h"
#include "tests/host/formats/vega_test_folder.h"

namespace haptic {
namespace {

/// Every file truncated at every length and with every bit flipped once: a reader either refuses it
/// with one line or accepts it (a flipped digit is another number).
class DamagedFiles : public VegaTestFolder {
 protected:
  using Reader = std::function<void(const std::filesystem::path&)>;

  void survive(const std::string& good, const Reader& read) {
    int refused = 0;
    const auto attempt = [&](const std::string& bytes) {
      const auto path = write("damaged", bytes);
      try {
        read(path);
      } catch (const InputError& error) {
        ++refused;
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    };
    attempt(good);
    EXPECT_EQ(refused, 0);
    for (std::size_t length = 0; length < good.size(); ++length) attempt(good.substr(0, length));
    EXPECT_GT(refused, 0);
    const std::size_t stride = std::max<std::size_t>(1, good.size() / 60);
    for (std::size_t at = 0; at < good.size(); at += stride) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
        attempt(bad);
      }
    }
    std::mt19937 random(1);
    for (int i = 0; i < 60; ++i) {  // and content of another format
      std::string noise(random() % 300, '\0');
      for (char& c : noise) c = static_cast<char>(random());
      attempt(noise);
    }
  }
};

TEST_F(DamagedFiles, veg) {
  survive(
      "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n"
      "*MATERIAL a\nORTHOTROPIC_N3G3, 7, 2, 3, 4, .1, .2, .1, 1, 1, 1\n*SET s\n1,\n*REGION\ns, a\n",
      [](const auto& path) { read_veg(path); });
}

TEST_F(DamagedFiles, bou) {
  survive("1,2,3,\n7:11,\n20", [](const auto& path) {
    for (const std::uint32_t v : read_bou(path, 30)) ASSERT_LT(v, 30u);
  });
}

TEST_F(DamagedFiles, basis) {
  const std::vector<double> values(18, 0.5);
  write_basis(folder_ / "a.U", 6, 3, values);
  survive(bytes_of(folder_ / "a.U"), [](const auto& path) {
    const BasisMatrix matrix = read_basis(path);
    ASSERT_EQ(matrix.values.size(), matrix.rows * matrix.columns);
  });
}

TEST_F(DamagedFiles, cub) {
  ReducedPolynomials energy{3, {}, {}, {}};
  energy.quadratic.assign(distinct_count(3, 2), 1.0);
  energy.cubic.assign(distinct_count(3, 3), 2.0);
  energy.quartic.assign(distinct_count(3, 4), 3.0);
  write_cub(folder_ / "a.cub", energy);
  survive(bytes_of(folder_ / "a.cub"), [](const auto& path) {
    const ReducedPolynomials read = read_cub(path).energy;
    ASSERT_EQ(read.quartic.size(), distinct_count(read.dimension, 4));
  });
}

TEST_F(DamagedFiles, interp) {
  const Interpolation w{2, {0, 1, 2, 3, 4, 5}, {0.5, 0.5, 0.25, 0.75, 1.0, 0.0}};
  for (const auto form : {InterpolationForm::kText, InterpolationForm::kBinary}) {
    write_interpolation(folder_ / "a.interp", w, form);
    survive(bytes_of(folder_ / "a.interp"), [](const auto& path) {
      for (const std::uint32_t v : read_interpolation(path, 6).vertices) ASSERT_LT(v, 6u);
    });
  }
}

}  // namespace
}  // namespace haptic

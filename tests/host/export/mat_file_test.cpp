#include "host/export/mat_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "host/artifact/hdf5_handle.h"
#include "host/export/log_table.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

using testing::ElementsAre;

TEST(MatFile, names_are_those_that_matlab_permits_and_each_is_there_once) {
  const std::string longest(80, 'a');
  EXPECT_THAT(matlab_names({{"device_force", "", ""},
                            {"bodies/pose[cow 2]", "", ""},
                            {"a/b", "", ""},
                            {"a_b", "", ""},
                            {"7", "", ""},
                            {"//c--d/", "", ""},
                            {longest, "", ""},
                            {longest, "", ""}}),
              ElementsAre("device_force", "bodies_pose_cow_2", "a_b", "a_b_2", "x7", "c_d",
                          std::string(57, 'a'), std::string(57, 'a') + "_2"));
}

/// A log of more rows than a block of the table has, with reals, integers and one number.
class MatFileTest : public WrittenLogTest {
 protected:
  static constexpr std::uint64_t kRows = 70'000;

  void SetUp() override {
    WrittenLogTest::SetUp();
    Content content;
    content.rows = kRows;
    content.description.source = "simulate";
    content.description.rate_hz = 2000.0;
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i;
      for (int axis = 0; axis < 3; ++axis) {
        record.device_wrench.force_N[axis] = axis + 1e-3 * static_cast<double>(i);
      }
      return record;
    };
    const LogReader log = written(content);
    write_mat(LogTable(log, {"cycle", "device_force"}, {}), EventTable(log, {}),
              folder_ / "log.mat");
    file_ = Hdf5Handle(H5Fopen((folder_ / "log.mat").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                       H5Fclose, "open");
  }

  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Extents in HDF5's order: width, rows.
  std::vector<double> numbers(const char* name, std::array<hsize_t, 2> extent) const {
    const Hdf5Handle dataset(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose, name);
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, name);
    std::array<hsize_t, 2> found{};
    EXPECT_EQ(H5Sget_simple_extent_dims(space.get(), found.data(), nullptr), 2) << name;
    EXPECT_EQ(found, extent) << name;
    std::vector<double> values(found[0] * found[1]);
    EXPECT_GE(
        H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return values;
  }

  std::string matlab_class(const char* name) const {
    const Hdf5Handle attribute(
        H5Aopen_by_name(file_.get(), name, "MATLAB_class", H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
        name);
    const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, name);
    std::string text(H5Tget_size(type.get()), '\0');
    EXPECT_GE(H5Aread(attribute.get(), type.get(), text.data()), 0);
    return text.c_str();
  }

  Hdf5Handle file_;
};

TEST_F(MatFileTest, every_row_of_every_component_has_its_place) {
  const std::vector<double> cycle = numbers("/log/cycle", {1, kRows});
  const std::vector<double> force = numbers("/log/device_force", {3, kRows});
  for (std::uint64_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(cycle[i], static_cast<double>(i));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ASSERT_EQ(force[axis * kRows + i], static_cast<double>(axis) + 1e-3 * static_cast<double>(i));
    }
  }
  EXPECT_EQ(numbers("/log/time", {1, kRows})[4000], 2.0);
}

TEST_F(MatFileTest, the_same_log_gives_the_same_bytes_at_any_time) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5's stamps have whole seconds
  const LogReader log(folder_ / "log.h5");
  write_mat(LogTable(log, {"cycle", "device_force"}, {}), EventTable(log, {}),
            folder_ / "again.mat");
  EXPECT_TRUE(bytes_of(folder_ / "log.mat") == bytes_of(folder_ / "again.mat"));
}

TEST_F(MatFileTest, classes_are_those_of_matlab) {
  EXPECT_EQ(matlab_class("/log"), "struct");
  EXPECT_EQ(matlab_class("/log/cycle"), "int64");
  EXPECT_EQ(matlab_class("/log/device_force"), "double");
  EXPECT_EQ(matlab_class("/units/device_force"), "char");
  EXPECT_EQ(matlab_class("/info/rate_hz"), "double");
  EXPECT_EQ(numbers("/info/rate_hz", {1, 1})[0], 2000.0);
  EXPECT_EQ(numbers("/info/lost_samples", {1, 1})[0], 0.0);
  // One unit for each quantity, as letters in a column.
  EXPECT_EQ(numbers("/units/device_force", {1, 1})[0], 'N');
  const Hdf5Handle attribute(
      H5Aopen_by_name(file_.get(), "/log", "MATLAB_fields", H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      "fields");
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, "fields");
  EXPECT_EQ(H5Sget_simple_extent_npoints(space.get()), 3);  // time, cycle, device_force
}

}  // namespace
}  // namespace haptic

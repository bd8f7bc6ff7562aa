#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "host/artifact/hdf5_input.h"
#include "shared/error.h"

namespace haptic {

/// Tests that write small HDF5 files, right or wrong, into a folder of their own and read them.
class HostileHdf5Test : public testing::Test {
 protected:
  void SetUp() override {
    silence_hdf5();
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("haptic-" + std::string(test.name()) + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "file.h5"; }

  /// Writes file.h5 anew. @param fill  gets the open file
  void write(const std::function<void(hid_t)>& fill) const {
    const hid_t file = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fill(file);
    ASSERT_GE(H5Fclose(file), 0);
  }

  struct Shape {
    std::vector<hsize_t> extent, chunk{};
    hid_t type = H5T_IEEE_F64LE;
    std::function<void(hid_t)> settings = [](hid_t) {};  ///< of the creation properties
  };
  /// A dataset "/d" of 0, 1, 2, ... @returns it, open
  static hid_t make(hid_t file, const Shape& shape, bool fill = true) {
    const int rank = static_cast<int>(shape.extent.size());
    const hid_t space = H5Screate_simple(rank, shape.extent.data(), nullptr);
    const hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    if (!shape.chunk.empty()) H5Pset_chunk(settings, rank, shape.chunk.data());
    shape.settings(settings);
    const hid_t dataset =
        H5Dcreate2(file, "/d", shape.type, space, H5P_DEFAULT, settings, H5P_DEFAULT);
    std::vector<double> values(fill ? H5Sget_simple_extent_npoints(space) : 0);
    std::iota(values.begin(), values.end(), 0.0);
    if (fill) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Pclose(settings);
    H5Sclose(space);
    return dataset;
  }
  void write_dataset(const Shape& shape, bool fill = true) const {
    write([&](hid_t file) { H5Dclose(make(file, shape, fill)); });
  }
  /// Values and their width, for attributes.
  static void add_attribute(hid_t object, const char* name, hid_t type, hsize_t count,
                            const void* values) {
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, values);
    H5Aclose(attribute);
    H5Sclose(space);
  }

  /// The line with which `read` is refused; empty if it is not.
  std::string refusal(const std::function<void(const Hdf5Input&)>& read) const {
    try {
      read(Hdf5Input::open(path(), "a test"));
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.rfind(path().string() + ": ", 0), 0u) << line;
      return line.substr(path().string().size() + 2);
    }
    return {};
  }
  /// Of all values of "/d".
  std::string refusal() const {
    return refusal([](const Hdf5Input& file) { static_cast<void>(file.dataset("/d").numbers()); });
  }

  std::filesystem::path folder_;
};

}  // namespace haptic

#include "host/artifact/hdf5_dataset.h"

#include <zlib.h>

#include <fstream>

#include "host/artifact/growing_dataset.h"
#include "tests/host/artifact/hostile_hdf5.h"

namespace haptic {
namespace {

class Hdf5DatasetTest : public HostileHdf5Test {
 protected:
  /// Writes "/d" with one chunk of `elements` doubles whose stored bytes are these.
  void write_chunk(hsize_t elements, const std::vector<unsigned char>& stored) const {
    write([&](hid_t file) {
      const hid_t dataset = make(
          file, {{elements}, {elements}, H5T_IEEE_F64LE, [](hid_t s) { H5Pset_deflate(s, 1); }},
          false);
      const hsize_t at = 0;
      ASSERT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &at, stored.size(), stored.data()), 0);
      H5Dclose(dataset);
    });
  }
  static std::vector<unsigned char> deflated(std::size_t zeros) {
    const std::vector<unsigned char> plain(zeros);
    uLongf size = compressBound(zeros);
    std::vector<unsigned char> packed(size);
    EXPECT_EQ(compress(packed.data(), &size, plain.data(), plain.size()), Z_OK);
    packed.resize(size);
    return packed;
  }
};

TEST_F(Hdf5DatasetTest, every_layout_of_a_log_is_read_as_HDF5_reads_it) {
  const auto packed = [](hid_t s) {
    H5Pset_shuffle(s);
    H5Pset_deflate(s, 4);
  };
  const std::vector<Shape> shapes = {
      {{7}},
      {{7}, {}, H5T_STD_U32LE, [](hid_t s) { H5Pset_layout(s, H5D_COMPACT); }},
      {{40, 3}},
      {{40, 3}, {16, 3}, H5T_STD_I64LE, packed},
      {{41, 7}, {10, 3}, H5T_IEEE_F32LE, packed},
      {{21, 7}, {10, 3}, H5T_STD_U8LE, [](hid_t s) { H5Pset_deflate(s, 9); }},
      {{41}, {10}, H5T_IEEE_F64LE, [](hid_t s) { H5Pset_shuffle(s); }},
      {{41}, {10}}};
  for (const Shape& shape : shapes) {
    write_dataset(shape);
    const Hdf5Input file = Hdf5Input::open(path(), "a test");
    const Hdf5Dataset& dataset = file.dataset("/d");
    const std::vector<double> values = dataset.numbers();
    ASSERT_EQ(values.size(), dataset.rows() * dataset.width());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(i));
    std::vector<std::uint64_t> some(5 * dataset.width());
    dataset.read(2, 5, H5T_NATIVE_UINT64, some.data());
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], 2 * dataset.width() + i);
  }
}

TEST_F(Hdf5DatasetTest, a_chunk_without_filters_that_is_longer_than_its_elements_is_not_read) {
  // HDF5 would write as many bytes behind the memory that it says it needs.
  write_dataset({{64}, {64}});
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::size_t index = content.find(std::string("TREE\1"));
  ASSERT_NE(index, std::string::npos);
  constexpr std::size_t kFirstKey = 24;  // File Format Specification, "Version 1 B-trees"
  constexpr std::uint32_t kLength = 64 * 8 + 8;
  file.seekp(static_cast<std::streamoff>(index + kFirstKey));
  file.write(reinterpret_cast<const char*>(&kLength), sizeof kLength);
  file.close();
  const Hdf5Input input = Hdf5Input::open(path(), "a test");
  EXPECT_FALSE(input.dataset("/d").has_data(0));
}

TEST_F(Hdf5DatasetTest, data_outside_of_the_file_are_refused) {
  std::ofstream(folder_ / "secret") << "private";
  write_dataset({{4},
                 {},
                 H5T_STD_U8LE,
                 [&](hid_t s) { H5Pset_external(s, (folder_ / "secret").c_str(), 0, 4); }},
                false);
  EXPECT_EQ(refusal(), "/d: found data in another file, expected data in this file");
}

TEST_F(Hdf5DatasetTest, a_virtual_dataset_of_itself_is_refused) {
  const std::vector<hsize_t> extent = {4};
  write_dataset({extent,
                 {},
                 H5T_IEEE_F64LE,
                 [&](hid_t s) {
                   const hid_t space = H5Screate_simple(1, extent.data(), nullptr);
                   H5Pset_virtual(s, space, ".", "/d", space);
                   H5Sclose(space);
                 }},
                false);
  EXPECT_EQ(refusal(), "/d: found a virtual dataset, expected data in this file");
}

TEST_F(Hdf5DatasetTest, other_filters_ranks_and_types_are_refused) {
  write_dataset({{8}, {4}, H5T_IEEE_F64LE, [](hid_t s) { H5Pset_fletcher32(s); }});
  EXPECT_EQ(refusal(), "/d: found filter 3, expected shuffle, then deflate");
  write_dataset({{8}, {4}, H5T_IEEE_F64LE, [](hid_t s) {
                   H5Pset_deflate(s, 1);
                   H5Pset_shuffle(s);
                 }});
  EXPECT_EQ(refusal(), "/d: found filter 2, expected shuffle, then deflate");
  write_dataset({{2, 2, 2}});
  EXPECT_EQ(refusal(), "/d: found 3 dimensions, expected 0 to 2");
  write_dataset({{4}, {}, H5T_IEEE_F64BE});
  EXPECT_EQ(refusal(),
            "/d: found elements of another type, expected little-endian numbers, or texts of a "
            "fixed length");
  for (const auto& [size, line] :
       {std::pair{H5T_VARIABLE, "/d: found elements of another type"},
        std::pair{std::size_t{8}, "/d: found texts, expected numbers"}}) {
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, size);
    write_dataset({{4}, {}, text, [](hid_t s) { H5Pset_layout(s, H5D_COMPACT); }}, false);
    EXPECT_EQ(refusal().rfind(line, 0), 0u) << refusal();
    H5Tclose(text);
  }
}

TEST_F(Hdf5DatasetTest, rows_without_stored_bytes_are_refused_before_memory_is_taken) {
  write_dataset({{2'000'000'000}, {4096}}, false);
  EXPECT_EQ(refusal(),
            "/d: found 2000000000 x 1 elements in 0 bytes, expected at most 65536 bytes of them");
  write_dataset({{1u << 30, 1u << 30}, {1, 1}}, false);
  EXPECT_NE(refusal().find("/d: found chunks of 1 x 1 elements"), std::string::npos) << refusal();
  write_dataset({{1000}, {}, H5T_IEEE_F64LE, [](hid_t s) { H5Pset_layout(s, H5D_CONTIGUOUS); }},
                false);
  EXPECT_EQ(refusal(), "/d: found 1000 x 1 elements in 0 bytes, expected at most 0 bytes of them");
}

TEST_F(Hdf5DatasetTest, a_large_chunk_is_refused) {
  write_dataset({{1u << 28}, {1u << 28}, H5T_IEEE_F64LE, [](hid_t s) { H5Pset_deflate(s, 1); }},
                false);
  EXPECT_EQ(refusal(),
            "/d: found chunks of 268435456 x 1 elements of 8 bytes, expected at most 67108864 "
            "bytes for each row of chunks");
}

// HDF5 takes the length of the unpacked stream for that of the chunk.
TEST_F(Hdf5DatasetTest, a_stream_longer_or_shorter_than_its_chunk_is_refused) {
  constexpr hsize_t kElements = 1024;
  write_chunk(kElements, deflated(8 * kElements));
  EXPECT_EQ(refusal(), "");
  const std::string line = "/d: row 0 cannot be read, expected a log or file that is whole";
  write_chunk(kElements, deflated(8 * kElements - 1));
  EXPECT_EQ(refusal(), line);
  write_chunk(kElements, deflated(8 * kElements + 1));
  EXPECT_EQ(refusal(), line);
  write_chunk(kElements, deflated(std::size_t{1} << 22));
  EXPECT_EQ(refusal(), line);
  write_chunk(kElements, std::vector<unsigned char>(100, 0x55));
  EXPECT_EQ(refusal(), line);
}

TEST_F(Hdf5DatasetTest, a_chunk_that_is_not_stored_is_missing_and_not_zero) {
  write([](hid_t file) {
    const hid_t dataset = make(file, {{20}, {10}}, false);
    const std::vector<double> values(10, 3.0);
    const hsize_t at = 0;
    ASSERT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &at, 80, values.data()), 0);
    H5Dclose(dataset);
  });
  const Hdf5Input file = Hdf5Input::open(path(), "a test");
  const Hdf5Dataset& dataset = file.dataset("/d");
  EXPECT_TRUE(dataset.has_data(9));
  EXPECT_FALSE(dataset.has_data(10));
  std::vector<double> first(10);
  dataset.read(0, 10, H5T_NATIVE_DOUBLE, first.data());
  EXPECT_EQ(first, std::vector<double>(10, 3.0));
  EXPECT_EQ(refusal(), "/d: row 10 cannot be read, expected a log or file that is whole");
}

TEST_F(Hdf5DatasetTest, a_dataset_without_any_chunk_is_missing) {
  write_dataset({{20}, {10}}, false);
  EXPECT_EQ(refusal(), "/d: row 0 cannot be read, expected a log or file that is whole");
  write_dataset({{20, 2}, {10, 2}, H5T_IEEE_F64LE, [](hid_t s) { H5Pset_deflate(s, 1); }}, false);
  EXPECT_EQ(refusal(), "/d: row 0 cannot be read, expected a log or file that is whole");
}

TEST_F(Hdf5DatasetTest, rows_beyond_the_end_are_refused) {
  write_dataset({{20, 2}, {10, 2}});
  double values[4] = {};
  for (const auto& [first, count] : {std::pair{19ull, 2ull}, {21ull, 0ull}, {~0ull, 2ull}}) {
    EXPECT_NE(refusal([&](const Hdf5Input& file) {
                file.dataset("/d").read(first, count, H5T_NATIVE_DOUBLE, values);
              }).find("/d: found 20 rows"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace haptic

// Logs whose attributes, extents and times are not those of a writer of this project.
#include <hdf5.h>

#include <limits>

#include "host/export/row_choice.h"
#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class LogReaderHostileTest : public WrittenLogTest {
 protected:
  /// A log of 10 rows, two blocks and a session, changed. @returns the line with which `read` is
  /// refused, without the file's name; empty if it is not
  std::string refusal(
      const std::function<void(hid_t)>& change,
      const std::function<void(const LogReader&)>& read = [](const LogReader&) {}) const {
    Content content;
    content.description.state = StateLayout(
        {{.name = "chain/energy", .unit = "J", .shape = {2}},
         {.name = "chain/position", .unit = "m", .shape = {4, 3}, .rate = StateRate::kDisplay}});
    content.description.session.emplace();
    content.description.session->scene_text = "rate_hz = 1000\n";
    content.description.bodies = {{"wall", "sphere radius 0.05"}};
    content.state = [](std::uint64_t) { return std::vector<double>{1.0, 2.0}; };
    const std::filesystem::path path = written(content).path();
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    EXPECT_GE(H5Fclose(file), 0);
    try {
      read(LogReader(path));
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.rfind(path.string() + ": ", 0), 0u) << line;
      return line.substr(path.string().size() + 2);
    }
    return {};
  }

  /// Replaces an attribute by `count` elements of a type.
  static void set(hid_t file, const char* object, const char* name, hid_t type, hsize_t count,
                  const void* values) {
    const hid_t owner = H5Oopen(file, object, H5P_DEFAULT);
    H5Adelete(owner, name);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(attribute, type, values), 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(owner);
  }
  static void set_texts(hid_t file, const char* object, const char* name, hsize_t count) {
    const std::string texts(6 * count, 'x');
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 6);
    set(file, object, name, type, count, texts.data());
    H5Tclose(type);
  }
  static void set_number(hid_t file, const char* object, const char* name, double value) {
    set(file, object, name, H5T_IEEE_F64LE, 1, &value);
  }
  static void set_times(hid_t file, std::vector<double> times) {
    const hid_t dataset = H5Dopen2(file, "/samples/time_s", H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()), 0);
    H5Dclose(dataset);
  }
};

TEST_F(LogReaderHostileTest, an_unchanged_log_is_read) {
  EXPECT_EQ(refusal([](hid_t) {}), "");
}

TEST_F(LogReaderHostileTest, an_attribute_of_many_texts_or_numbers_is_refused) {
  EXPECT_EQ(refusal([](hid_t file) { set_texts(file, "/", "source", 10000); }),
            "attribute 'source' of another kind, expected one text of a fixed length");
  EXPECT_EQ(refusal([](hid_t file) { set_texts(file, "/bodies/0", "name", 10000); }),
            "/bodies/0: attribute 'name' of another kind, expected one text of a fixed length");
  const std::vector<double> numbers(8000);
  EXPECT_EQ(refusal(
                [&](hid_t file) {
                  set(file, "/session", "scene_is_newer", H5T_IEEE_F64LE, numbers.size(),
                      numbers.data());
                },
                [](const LogReader& log) { static_cast<void>(log.scene_text()); }),
            "/session: attribute 'scene_is_newer' of another kind, expected one number");
}

TEST_F(LogReaderHostileTest, a_rate_that_is_none_is_refused) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double rate : {kNotANumber, kInfinity, 0.0, -1000.0, 1e-300, 1e300}) {
    EXPECT_EQ(refusal([&](hid_t file) {
                set_number(file, "/", "rate_hz", rate);
              }).rfind("rate_hz: found ", 0),
              0u)
        << rate;
  }
}

TEST_F(LogReaderHostileTest, a_block_larger_than_its_column_is_refused_before_memory_is_taken) {
  const auto shape = [](const char* block) {
    return [=](hid_t file) {
      const hid_t owner = H5Oopen(file, block, H5P_DEFAULT);
      H5Adelete(owner, "shape");
      write_attribute(owner, "shape", std::string("60000"));
      H5Oclose(owner);
    };
  };
  EXPECT_EQ(refusal(shape("/blocks/0")), "/state/chain/energy: 2 numbers per row, expected 60000");
  EXPECT_EQ(refusal(shape("/blocks/1")),
            "/display/chain/position: 12 numbers per row, expected 60000");
}

TEST_F(LogReaderHostileTest,
       times_that_do_not_ascend_are_refused_and_no_choice_of_rows_is_endless) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto choose = [](const LogReader& log) {
    RowChoice choice;
    choice.fps = 25.0;
    static_cast<void>(chosen_rows(log, choice));
  };
  std::vector<double> times(10, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refusal([&](hid_t file) { set_times(file, times); }, choose),
            "/samples/time_s: found nan s in row 0, expected 0 s to 1e+09 s, ascending");
  times.assign(10, kInfinity);
  EXPECT_EQ(refusal([&](hid_t file) { set_times(file, times); }, choose),
            "/samples/time_s: found inf s in row 0, expected 0 s to 1e+09 s, ascending");
  times = {0, 1, 2, 3, 4, 5, 4, 7, 8, 9};
  EXPECT_EQ(refusal([&](hid_t file) { set_times(file, times); }, choose),
            "/samples/time_s: found 4 s in row 6, expected 5 s to 1e+09 s, ascending");
  times.assign(10, 1.0);
  EXPECT_EQ(refusal([&](hid_t file) { set_times(file, times); }, choose), "");
}

}  // namespace
}  // namespace haptic

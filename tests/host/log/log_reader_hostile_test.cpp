// Logs whose attributes, extents and times are not those of a writer of this project.
#include <hdf5.h>

#include <fstream>
#include <limits>

#include "host/export/row_choice.h"
#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class LogReaderHostileTest : public WrittenLogTest {
 protected:
  /// A recording of 10 rows, two blocks and a session, changed. @returns the line with which `read`
  /// is refused, without the file's name; empty if it is not
  std::string refusal(
      const std::function<void(hid_t)>& change,
      const std::function<void(const LogReader&)>& read = [](const LogReader&) {}) const {
    Content content;
    content.description.source = "hapticd";
    content.description.timing = true;
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
  static void set_text(hid_t file, const char* object, const char* name, const std::string& text) {
    const hid_t owner = H5Oopen(file, object, H5P_DEFAULT);
    H5Adelete(owner, name);
    write_attribute(owner, name, text);
    H5Oclose(owner);
  }
  static void set_column(hid_t file, const char* name, hid_t type, const void* values) {
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(dataset);
  }
  static void set_times(hid_t file, const std::vector<double>& times) {
    set_column(file, "/samples/time_s", H5T_NATIVE_DOUBLE, times.data());
  }
  static void set_cycles(hid_t file, const std::vector<std::uint64_t>& cycles) {
    set_column(file, "/samples/cycle", H5T_NATIVE_UINT64, cycles.data());
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
    return [=](hid_t file) { set_text(file, block, "shape", "60000"); };
  };
  EXPECT_EQ(refusal(shape("/blocks/0")), "/state/chain/energy: 2 numbers per row, expected 60000");
  EXPECT_EQ(refusal(shape("/blocks/1")),
            "/display/chain/position: 12 numbers per row, expected 60000");
}

TEST_F(LogReaderHostileTest, a_recording_that_lacks_a_group_is_refused) {
  for (const std::string group : {"/timing", "/events", "/gaps", "/session", "/parameters"}) {
    EXPECT_EQ(refusal([&](hid_t file) { H5Ldelete(file, group.c_str(), H5P_DEFAULT); }),
              group + ": no such group, expected one in a log of hapticd");
  }
  for (const std::string name : {"/blocks", "/bodies"}) {
    const std::string line =
        refusal([&](hid_t file) { H5Ldelete(file, name.c_str(), H5P_DEFAULT); });
    EXPECT_EQ(line.rfind(name + ": no such object, expected a log", 0), 0u) << line;
  }
  for (const std::string name : {"/events/number", "/events/client", "/gaps/lost"}) {
    const std::string line =
        refusal([&](hid_t file) { H5Ldelete(file, name.c_str(), H5P_DEFAULT); });
    EXPECT_EQ(line.rfind(name + ": no such dataset", 0), 0u) << line;
  }
}

TEST_F(LogReaderHostileTest, a_group_whose_bytes_are_lost_is_damaged_and_not_missing) {
  LogDescription description;
  description.source = "hapticd";
  description.timing = true;
  description.session.emplace();
  const std::filesystem::path path = folder_ / "live.h5";
  for (const std::string group : {"/events", "/gaps", "/blocks", "/bodies", "/timing"}) {
    {
      LogWriter writer(path, description, LogWriter::Readable::kWhileWritten);
      writer.append({}, {});
      writer.finish();
    }
    H5G_stat_t info{};  // the only form that HDF5 1.10 and 1.14 share
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(H5Gget_objinfo(file, group.c_str(), false, &info), 0);
    H5Fclose(file);
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(info.objno[0]));
    bytes.write("\0\0\0\0\0\0\0\0", 8);
    bytes.close();
    std::string line;
    try {
      static_cast<void>(LogReader(path));
    } catch (const InputError& error) {
      line = error.what();
    }
    EXPECT_EQ(line.rfind(path.string() + ": " + group, 0), 0u) << line;
    EXPECT_NE(line.find(": damaged: "), std::string::npos) << line;
    std::filesystem::remove(path);
  }
}

TEST_F(LogReaderHostileTest, a_block_or_a_body_missing_among_others_is_refused) {
  EXPECT_EQ(refusal([](hid_t file) { H5Ldelete(file, "/blocks/0", H5P_DEFAULT); }),
            "/blocks: 1 entries, but no '0', expected groups numbered from 0");
  EXPECT_EQ(refusal([](hid_t file) {
              H5Gclose(H5Gcreate2(file, "/bodies/cow", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            }),
            "/bodies: 2 entries, but no '1', expected groups numbered from 0");
}

TEST_F(LogReaderHostileTest, a_wrong_block_is_refused_with_the_name_of_the_file) {
  EXPECT_EQ(refusal([](hid_t file) { set_text(file, "/blocks/1", "name", "chain/energy"); }),
            "state block: chain/energy: found twice, expected once");
}

TEST_F(LogReaderHostileTest, a_body_outside_of_the_state_is_refused) {
  EXPECT_EQ(refusal([](hid_t file) { set_number(file, "/bodies/0", "coordinate_count", 1e9); }),
            "/bodies: wall: coordinates 0 to 1000000000 of 0, expected coordinates of the scene");
}

TEST_F(LogReaderHostileTest, cycles_that_do_not_ascend_or_are_no_counts_are_refused) {
  const auto read = [](const LogReader& log) { static_cast<void>(log.cycles()); };
  constexpr const char* kExpected = " to 9007199254740991, ascending";
  std::vector<std::uint64_t> cycles = {0, 1, 2, 3, 4, 5, 4, 7, 8, 9};
  EXPECT_EQ(refusal([&](hid_t file) { set_cycles(file, cycles); }, read),
            std::string("/samples/cycle: found 4 in row 6, expected 6") + kExpected);
  cycles.assign(10, 5);
  EXPECT_EQ(refusal([&](hid_t file) { set_cycles(file, cycles); }, read),
            std::string("/samples/cycle: found 5 in row 1, expected 6") + kExpected);
  cycles = {0, 1, 2, 3, 4, 5, 6, 7, 8, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(
      refusal([&](hid_t file) { set_cycles(file, cycles); }, read),
      std::string("/samples/cycle: found 18446744073709551616 in row 9, expected 9") + kExpected);
  cycles = {3, 5, 6, 7, 8, 9, 10, 11, 12, 1000};
  EXPECT_EQ(refusal([&](hid_t file) { set_cycles(file, cycles); }, read), "");
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

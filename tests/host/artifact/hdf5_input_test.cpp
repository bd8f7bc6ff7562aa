#include "host/artifact/hdf5_input.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fstream>

#include "shared/memory/file_descriptor.h"
#include "tests/host/artifact/hostile_hdf5.h"

namespace haptic {
namespace {

class Hdf5InputTest : public HostileHdf5Test {
 protected:
  static std::string line_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(Hdf5InputTest, attributes_that_are_not_one_number_or_text_are_refused_and_left_out) {
  write([](hid_t file) {
    write_attribute(file, "number", 3.5);
    write_attribute(file, "text", std::string("gripper"));
    const std::vector<double> numbers(8000);
    add_attribute(file, "numbers", H5T_IEEE_F64LE, numbers.size(), numbers.data());
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    const std::string texts(4 * 9000, 'x');
    add_attribute(file, "texts", text, 9000, texts.data());
    H5Tset_size(text, H5T_VARIABLE);
    const char* variable = "text";
    add_attribute(file, "variable", text, 1, &variable);
    H5Tclose(text);
  });
  const Hdf5Input file = Hdf5Input::open(path(), "a test");
  EXPECT_EQ(file.number("/", "number"), 3.5);
  EXPECT_EQ(file.text("/", "text"), "gripper");
  const std::vector<std::pair<std::string, Hdf5Input::Attribute>> known = {{"number", 3.5},
                                                                           {"text", "gripper"}};
  const std::vector<std::string> names = {"absent", "number", "numbers",
                                          "text",   "texts",  "variable"};
  EXPECT_EQ(file.attributes("/", names), known);
  EXPECT_TRUE(file.has_attribute("/", "variable"));
  EXPECT_FALSE(file.has_attribute("/", "absent"));
  for (const std::string name : {"numbers", "texts", "variable", "text"}) {
    EXPECT_EQ(refusal([&](const Hdf5Input& f) { static_cast<void>(f.number("/", name)); }),
              "attribute '" + name + "' of another kind, expected one number");
  }
  for (const std::string name : {"numbers", "texts", "variable", "number"}) {
    EXPECT_EQ(refusal([&](const Hdf5Input& f) { static_cast<void>(f.text("/", name)); }),
              "attribute '" + name + "' of another kind, expected one text of a fixed length");
  }
  EXPECT_EQ(refusal([](const Hdf5Input& f) { static_cast<void>(f.number("/", "none")); }),
            "no attribute 'none', expected a test");
}

TEST_F(Hdf5InputTest, links_out_of_the_file_are_refused_on_the_way_and_at_the_end) {
  write([&](hid_t file) {
    H5Lcreate_external("/etc/passwd", "/d", file, "/d", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/elsewhere", file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/", file, "/group", H5P_DEFAULT, H5P_DEFAULT);
  });
  for (const std::string name : {"/d", "/soft", "/group", "/group/d"}) {
    const std::string part = name.starts_with("/group") ? "/group" : name;
    EXPECT_EQ(refusal([&](const Hdf5Input& file) { static_cast<void>(file.dataset(name)); }),
              part + ": found a link to somewhere else, expected the data in this file");
  }
}

TEST_F(Hdf5InputTest, a_group_in_place_of_a_dataset_and_a_missing_one_are_refused) {
  write(
      [](hid_t file) { H5Gclose(H5Gcreate2(file, "/d", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); });
  EXPECT_EQ(refusal(), "/d: found no dataset that can be opened, expected a dataset");
  write([](hid_t) {});
  EXPECT_EQ(refusal(), "/d: no such dataset, expected a test");
}

TEST_F(Hdf5InputTest, only_regular_files_are_opened_and_a_fifo_does_not_hang) {
  const std::filesystem::path fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {fifo, std::filesystem::path("/dev/zero"), folder_}) {
    for (const auto open : {&Hdf5Input::open, &Hdf5Input::open_unfinished}) {
      EXPECT_EQ(line_of([&] { open(path, "a test"); }),
                path.string() + ": not a regular file, expected a test");
    }
  }
  EXPECT_EQ(line_of([&] { Hdf5Input::open(folder_ / "none", "a test"); }),
            (folder_ / "none").string() + ": no such file, expected a test");
}

TEST_F(Hdf5InputTest, the_lock_of_another_program_does_not_matter) {
  write_dataset({{3}});
  const FileDescriptor other(::open(path().c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  EXPECT_EQ(refusal(), "");
}

}  // namespace
}  // namespace haptic

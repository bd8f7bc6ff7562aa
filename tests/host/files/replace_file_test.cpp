#include "host/files/replace_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

TEST(ReplaceFile, a_link_is_replaced_and_not_followed) {
  const std::filesystem::path folder =
      testing::TempDir() + "haptic_replace_" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "secret") << "precious";
  std::filesystem::create_symlink("secret", folder / "x.prom");
  // The name of versions that took the process number.
  std::filesystem::create_symlink("secret", folder / ("x.prom.tmp" + std::to_string(::getpid())));
  replace_file(folder / "x.prom", {"one ", "two"});
  const auto content = [&](const char* name) {
    std::ifstream file(folder / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(content("x.prom"), "one two");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "x.prom"));
  EXPECT_EQ(content("secret"), "precious");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 3);
  std::filesystem::remove_all(folder);
}

TEST(ReplaceFile, a_failed_write_names_the_cause) {
  try {
    replace_file("/none/x.prom", {"one"});
    FAIL() << "written";
  } catch (const OperationError& error) {
    EXPECT_STREQ(error.what(),
                 "/none/x.prom: cannot create a file beside it: No such file or directory");
  }
}

}  // namespace
}  // namespace haptic

// The descriptions of a load script's keys against their reader.
#include "host/unreduced/load_keys.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "host/unreduced/load_script.h"
#include "tests/support/described_keys.h"

namespace haptic {
namespace {

TEST(LoadKeys, are_those_that_the_reader_asks_for) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("load_keys." + std::to_string(getpid()) + ".toml");
  std::ofstream(file) << "dt_s = 0.001\nsteps = 10\ngravity = [0, 0, 0]\ndamping = [0, 0]\n"
                         "[[load]]\nvertex = 1\nforce_N = [0, 0, 1]\n"
                         "[[load]]\nnear = [0, 0, 0]\nforce_N = [0, 0, 1]\n"
                         "[[probe]]\nvertex = 1\n[[probe]]\nnear = [0, 0, 0]\n";
  const KeyRecorder recorder;
  EXPECT_NO_THROW(load_script(file));
  std::filesystem::remove(file);
  expect_described(load_keys(), recorder.asked());
}

}  // namespace
}  // namespace haptic

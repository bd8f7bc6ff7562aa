// Output files of commands, through the built executable: inputs are never replaced, and after a
// full disk or a signal no temporary file remains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

constexpr const char* kLoads = R"(dt_s = 0.001
steps = 100000
[[load]]
near = [1.0, 0.0, 0.0]
force_N = [0.0, 0.0, -0.05]
[[probe]]
near = [1.0, 0.0, 0.0]
)";

class OutputFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new BakingFolder("outputs");
    folder->bake("beam.toml", "beam.h5");
    folder->write("loads.toml", kLoads);
    folder->bake("ball.toml", "ball.h5");
    folder->write(
        "scene.toml",
        kBallOnBeam + std::string("[device]\nname = \"simulated\"\nscript = \"hand.csv\"\n"));
    folder->write("hand.csv",
                  "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n"
                  "0,0,0,0,1,0,0,0\n"
                  "0.5,0,0,-0.08,1,0,0,0\n");
  }
  static void TearDownTestSuite() { delete folder; }

  /// A shell command in the folder, with $H for the built executable.
  static Finished shell(const std::string& command) {
    return folder->shell("H=" HAPTIC_EXECUTABLE "; " + command);
  }
  static int temporary_files() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder->file(""))) {
      count += entry.path().filename().string().find(".tmp") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  static inline BakingFolder* folder = nullptr;
};

TEST_F(OutputFiles, no_command_replaces_what_it_reads) {
  const auto keeps = [](const std::string& command, const std::string& file) {
    const std::string before = folder->read(file);
    const Finished result = shell("$H " + command + " -o " + file);
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_THAT(result.error, HasSubstr("haptic: " + file + ": found ")) << command;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_EQ(folder->read(file), before) << command;
  };
  folder->write("snapshots.toml",
                beam_recipe("[reduction]\n",
                            "[reduction]\nbasis = \"snapshots\"\nsnapshots = \"beam.h5\"\n"));
  keeps("bake snapshots.toml", "beam.h5");
  keeps("bake beam.toml", "beam.toml");
  keeps("bake beam.toml", "beam.obj");
  keeps("bake beam.toml", "hand.csv");
  keeps("simulate beam.h5 --loads loads.toml", "beam.h5");
  keeps("simulate beam.h5 --loads loads.toml", "loads.toml");
  keeps("simulate scene.toml", "scene.toml");
  keeps("simulate scene.toml", "beam.h5");
  keeps("simulate scene.toml --trajectory hand.csv", "hand.csv");
  keeps("sketch beam.toml --trajectory hand.csv --grab 1,0,0", "beam.toml");
  keeps("sketch beam.toml --trajectory hand.csv --grab 1,0,0", "hand.csv");
  keeps("sketch beam.toml --trajectory hand.csv --grab 1,0,0", "beam.obj");
}

TEST_F(OutputFiles, an_invalid_output_path_is_refused_before_the_work) {
  for (const std::string output : {"''", ".", "/dev/null", "nowhere/model.h5"}) {
    const Finished result = shell("$H bake beam.toml --no-cache -o " + output);
    EXPECT_EQ(result.code, 2) << output;
    EXPECT_THAT(result.error, HasSubstr("expected")) << output;
    EXPECT_EQ(folder->read("stdout.txt"), "") << output;
  }
}

// A limit on the file size (blocks of 512 bytes) simulates the full disk: writing fails with EFBIG
// if the signal is ignored.
TEST_F(OutputFiles, a_full_disk_is_one_error_line_and_leaves_no_file) {
  // Without a model: its copy in memory would be limited as well.
  folder->write(
      "shapes.toml",
      "[[body]]\nname = \"wall\"\nshape = \"sphere\"\nradius = 0.05\nrole = \"anchored\"\n"
      "[[body]]\nname = \"tool\"\nshape = \"sphere\"\nradius = 0.01\nrole = \"held\"\n"
      "[device]\nscript = \"hand.csv\"\n");
  for (const std::string blocks : {"16", "128", "400"}) {
    for (const std::string command :
         {"bake beam.toml --no-cache -o full.h5", "simulate beam.h5 --loads loads.toml -o full.h5",
          "simulate shapes.toml --seconds 100 -o full.h5"}) {
      const Finished result = shell("trap '' XFSZ; ulimit -f " + blocks + "; $H " + command);
      EXPECT_EQ(result.code, 1) << blocks << ": " << command << ": " << result.error;
      EXPECT_THAT(result.error, HasSubstr("File too large")) << command;
      EXPECT_THAT(result.error, HasSubstr("full.h5")) << command;
      EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
      EXPECT_FALSE(std::filesystem::exists(folder->file("full.h5")));
      EXPECT_EQ(temporary_files(), 0) << command;
    }
  }
}

TEST_F(OutputFiles, a_signal_leaves_no_temporary_file) {
  const std::vector<std::pair<std::string, int>> signals = {
      {"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}};
  for (const auto& [signal, number] : signals) {
    SCOPED_TRACE(signal);
    // The signal is sent from the background as soon as the long run has created its file. The run
    // resets the signal to its default, because the parent of this test may ignore it.
    const Finished result = shell(
        "rm -f pid seen sent; (for i in $(seq 600); do ls run.h5.tmp* && touch seen && break; "
        "sleep 0.1; done; kill -" +
        signal +
        " $(cat pid); echo $? > sent) & "
        "timeout -s KILL 200 sh -c 'echo $$ > pid; exec env --default-signal=" +
        signal +
        " \"$0\" simulate beam.h5 --loads loads.toml --unreduced -o run.h5' $H; "
        "ended=$?; wait; exit $ended");
    EXPECT_EQ(result.code, 128 + number) << result.out << result.error;
    EXPECT_TRUE(std::filesystem::exists(folder->file("seen"))) << result.error;
    EXPECT_EQ(folder->read("sent"), "0\n") << folder->read("pid") << result.error;
    EXPECT_EQ(temporary_files(), 0);
    EXPECT_FALSE(std::filesystem::exists(folder->file("run.h5")));
    if (HasFailure()) break;  // what is left would be taken for the next run's file
  }
}

TEST_F(OutputFiles, invalid_durations_are_refused) {
  for (const std::string seconds : {"nan", "inf", "1e300", "0", "-1"}) {
    for (const std::string command : {"simulate scene.toml -o never.h5", "record -o never.h5",
                                      "sketch beam.toml --live --grab 1,0,0 -o never.csv"}) {
      const Finished result = shell("timeout 20 $H " + command + " --seconds " + seconds);
      EXPECT_EQ(result.code, 2) << command << ' ' << seconds;
      EXPECT_THAT(result.error, HasSubstr("--seconds")) << command;
      EXPECT_THAT(result.error, HasSubstr("found " + seconds)) << command;
    }
  }
}

}  // namespace
}  // namespace haptic

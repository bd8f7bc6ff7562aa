// A log from the writer to the reader, the plot and the view.

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "host/artifact/hdf5_handle.h"
#include "host/log/log_reader.h"
#include "host/log/log_writer.h"
#include "host/plot/log_plot.h"
#include "host/view/log_frame.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRows = 2500;  // more than two chunks, and not a multiple of one

SampleRecord sample_of(std::uint64_t i) {
  SampleRecord sample{};
  const double t = 0.001 * static_cast<double>(i);
  sample.cycle = i;
  sample.state = ServoState::kEngaged;
  sample.scheduled_ns = 5'000'000'000 + static_cast<std::int64_t>(i) * 1'000'000;
  sample.held_pose = {{std::sin(t), 0.1, -t}, {1.0, 0.0, 0.0, 0.0}};
  sample.manipulandum_pose = sample.held_pose;
  sample.contact_wrench.force_N[1] = i == 1234 ? 7.25 : 1.0;
  sample.device_wrench.force_N[2] = std::cos(t);
  sample.buttons = static_cast<std::uint32_t>(i % 17);
  sample.port_energy_J = 1e-6 * static_cast<double>(i);
  sample.world_step = i / 4;
  sample.total_ns = 40'000 + static_cast<std::int64_t>(i % 100);
  sample.wake_ns = 9'000;
  return sample;
}

LogDescription description() {
  LogDescription description;
  description.source = "hapticd";
  description.scene_path = "/nowhere/scene.toml";
  description.rate_hz = 1000.0;
  description.state = StateLayout(
      {{.name = "bodies/pose", .unit = "m and 1", .shape = {2, 7}, .display = StateDisplay::kPose},
       {.name = "bodies/coordinates",
        .unit = "m kg^1/2",
        .meaning = "reduced coordinates",
        .shape = {2},
        .display = StateDisplay::kReducedCoordinates},
       {.name = "chain/position",
        .unit = "m",
        .shape = {4, 3},
        .display = StateDisplay::kVertices,
        .rate = StateRate::kDisplay},
       {.name = "chain/link/pose",
        .unit = "m and 1",
        .shape = {1, 7},
        .display = StateDisplay::kPose},
       {.name = "chain/energy", .unit = "J", .measured = true},
       {.name = "chain/nothing", .unit = "1", .shape = {0}}});
  description.timing = true;
  description.session.emplace();
  description.bodies = {{"cow", "/nowhere/cow.h5", 0xfeedfacecafebeefULL, 0, 2, false},
                        {"tool", "/nowhere/tool.h5", 7, 2, 0, true}};
  return description;
}

/// Poses of cow and tool, coordinates, pose of the link, energy.
std::array<double, 24> state_of(std::uint64_t i) {
  const double n = static_cast<double>(i);
  return {1,   2,          3, 1, 0, 0, 0, std::sin(0.001 * n),
          0.1, -0.001 * n, 1, 0, 0, 0, n, -0.5 * n,
          4,   5,          n, 0, 1, 0, 0, 1e-3 * n};
}

/// A snapshot every 17 cycles; every value identifies its snapshot.
DisplaySnapshot display_of(std::uint64_t i) {
  return {i, i + 1, std::vector<float>(12, static_cast<float>(i))};
}

class LogFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-log-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name) {
    LogWriter writer(folder_ / name, description());
    for (std::uint64_t i = 0; i < kRows; ++i) {
      writer.append(sample_of(i), state_of(i));
      if (i % 17 == 1) writer.append_display(display_of(i - 1));
    }
    writer.add_lost(3);
    writer.finish();
    return folder_ / name;
  }

  fs::path folder_;
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(LogFileTest, what_is_written_is_read_back) {
  const LogReader log(write("a.h5"));
  EXPECT_EQ(log.rows(), kRows);
  EXPECT_EQ(log.lost_samples(), 3u);
  EXPECT_TRUE(log.description().timing);
  ASSERT_EQ(log.description().bodies.size(), 2u);
  EXPECT_EQ(log.description().bodies[0].model_hash, 0xfeedfacecafebeefULL);
  EXPECT_TRUE(log.description().bodies[1].held);
  EXPECT_TRUE(std::ranges::equal(log.description().state.blocks(), description().state.blocks()));
  EXPECT_EQ(log.width("/state/bodies/pose"), 14u);
  EXPECT_EQ(log.column("/state/chain/energy")[2000], 2.0);
  EXPECT_FALSE(log.has("/state/chain/nothing"));
  for (const std::uint64_t row :
       {std::uint64_t{0}, std::uint64_t{1023}, std::uint64_t{1024}, kRows - 1}) {
    const LogSample sample = log.sample(row);
    const SampleRecord wanted = sample_of(row);
    EXPECT_EQ(std::memcmp(&sample.record.held_pose, &wanted.held_pose, sizeof wanted.held_pose), 0);
    EXPECT_EQ(sample.record.buttons, wanted.buttons);
    EXPECT_EQ(sample.record.port_energy_J, wanted.port_energy_J);
    EXPECT_EQ(sample.record.world_step, wanted.world_step);
    EXPECT_EQ(sample.record.total_ns, wanted.total_ns);
    EXPECT_EQ(sample.record.scheduled_ns, wanted.scheduled_ns);
    EXPECT_TRUE(std::ranges::equal(sample.state, state_of(row)));
    EXPECT_EQ(sample.time_s, static_cast<double>(row) / 1000.0);
  }
  EXPECT_THROW(log.sample(kRows), InputError);
  EXPECT_THROW(log.column("/samples/no_such"), InputError);
}

TEST_F(LogFileTest, the_display_snapshot_of_a_row_is_the_last_complete_one) {
  const LogReader log(write("a.h5"));
  for (const auto& [cycle, first] :
       {std::pair{0u, 0u}, {1u, 0u}, {17u, 0u}, {18u, 17u}, {2499u, 2482u}}) {
    const std::optional<DisplaySnapshot> display = log.display(cycle);
    ASSERT_TRUE(display);
    EXPECT_EQ(display->first_cycle, first) << cycle;
    EXPECT_EQ(display->last_cycle, first + 1) << cycle;
    EXPECT_EQ(display->state, std::vector<float>(12, static_cast<float>(first))) << cycle;
  }
}

TEST_F(LogFileTest, a_log_of_another_format_or_with_a_damaged_block_is_refused) {
  const auto change = [&](const char* object, const char* attribute, const char* text) {
    const fs::path path = write("a.h5");
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t group = H5Gopen2(file, object, H5P_DEFAULT);
    H5Adelete(group, attribute);
    write_attribute(group, attribute, std::string(text));
    H5Gclose(group);
    H5Fclose(file);
    return path;
  };
  EXPECT_THROW(LogReader(change("/", "format", "hapticd log 1")), InputError);
  EXPECT_THROW(LogReader(change("/blocks/0", "name", "../pose")), InputError);
  EXPECT_THROW(LogReader(change("/blocks/4", "name", "bodies/pose")), InputError);
  EXPECT_THROW(LogReader(change("/blocks/0", "shape", "2 6")), InputError);
  EXPECT_THROW(LogReader(change("/blocks/1", "shape", "3")).sample(0), InputError);
}

TEST_F(LogFileTest, the_same_samples_give_the_same_bytes_at_any_time) {
  const std::string before = bytes_of(write("a.h5"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5's stamps have whole seconds
  EXPECT_TRUE(before == bytes_of(write("b.h5")));                // not printed: 300 kB
}

TEST_F(LogFileTest, an_unfinished_log_leaves_no_file_and_keeps_the_older_one) {
  const fs::path path = write("a.h5");
  const std::string before = bytes_of(path);
  {
    LogWriter writer(path, description());
    writer.append(sample_of(0), state_of(0));
  }
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
}

TEST_F(LogFileTest, foreign_files_are_refused) {
  EXPECT_THROW(LogReader(folder_ / "missing.h5"), InputError);
  std::ofstream(folder_ / "text.h5") << "not hdf5";
  EXPECT_THROW(LogReader(folder_ / "text.h5"), InputError);
}

TEST_F(LogFileTest, frames_have_the_bodies_points_and_frames_of_the_row) {
  const LogReader log(write("a.h5"));
  EXPECT_EQ(row_of_strongest_contact(log), 1234u);
  EXPECT_EQ(row_at(log, 1.5), 1500u);
  EXPECT_THROW(row_at(log, 99.0), InputError);
  const SceneFrame frame = frame_of(log, 1234);
  ASSERT_EQ(frame.bodies.size(), 2u);
  EXPECT_EQ(frame.bodies[0].coordinates, (std::vector<double>{1234.0, -617.0}));
  EXPECT_EQ(frame.bodies[0].pose.position.z(), 3.0);
  EXPECT_EQ(frame.bodies[1].pose.position.x(), std::sin(1.234));
  ASSERT_EQ(frame.points.size(), 4u);
  EXPECT_EQ(frame.points[3].y(), 1224.0);  // of the snapshot that began in cycle 72 * 17
  ASSERT_EQ(frame.frames.size(), 1u);
  EXPECT_EQ(frame.frames[0].position.z(), 1234.0);
  EXPECT_EQ(frame.frames[0].orientation.x(), 1.0);
  EXPECT_EQ(frame.force->y(), 7.25);
}

TEST_F(LogFileTest, a_frame_without_poses_is_refused_with_the_name_of_the_log) {
  LogDescription bare = description();
  bare.state = {};
  for (LogBody& body : bare.bodies) body.first_coordinate = body.coordinate_count = 0;
  LogWriter writer(folder_ / "bare.h5", bare);
  writer.append(sample_of(0), {});
  writer.finish();
  try {
    frame_of(LogReader(folder_ / "bare.h5"), 0);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              (folder_ / "bare.h5").string() + ": cow: found 0 poses, expected one for each body");
  }
}

TEST_F(LogFileTest, a_plot_is_a_png_and_an_empty_range_is_refused) {
  const LogReader log(write("a.h5"));
  const fs::path picture = folder_ / "it's a plot.png";
  plot_logs(std::array{PlottedLog{&log, {}}}, {}, picture);
  EXPECT_EQ(bytes_of(picture).substr(1, 3), "PNG");
  PlotSettings nothing;
  nothing.from_s = 100.0;
  EXPECT_THROW(plot_logs(std::array{PlottedLog{&log, {}}}, nothing, picture), InputError);
}

TEST_F(LogFileTest, a_plot_without_gnuplot_is_an_error_and_not_a_broken_pipe) {
  const LogReader log(write("a.h5"));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder_.c_str(), 1);
  std::string refusal;
  try {
    plot_logs(std::array{PlottedLog{&log, {}}}, {}, folder_ / "plot.png");
  } catch (const OperationError& error) {
    refusal = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(refusal.find("gnuplot is not installed (Debian's gnuplot-nox)"), std::string::npos)
      << refusal;
  EXPECT_FALSE(fs::exists(folder_ / "plot.png"));
}

}  // namespace
}  // namespace haptic

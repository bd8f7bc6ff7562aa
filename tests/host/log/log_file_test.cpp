#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

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
  sample.contacts = static_cast<std::uint32_t>(i % 17);
  sample.level = static_cast<std::uint32_t>(i % 5);
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
  description.coordinate_count = 2;
  description.timing = true;
  description.bodies = {
      {"cow", "/nowhere/cow.h5", 0xfeedfacecafebeefULL, 0, 2, false, {}, {1, 0, 0, 0}},
      {"tool", "/nowhere/tool.h5", 7, 2, 0, true, {1, 2, 3}, {1, 0, 0, 0}}};
  return description;
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
      const std::array<double, 2> q = {static_cast<double>(i), -0.5 * static_cast<double>(i)};
      writer.append(sample_of(i), q);
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
  EXPECT_EQ(log.description().bodies[1].position_m[2], 3.0);
  for (const std::uint64_t row :
       {std::uint64_t{0}, std::uint64_t{1023}, std::uint64_t{1024}, kRows - 1}) {
    const LogSample sample = log.sample(row);
    const SampleRecord wanted = sample_of(row);
    EXPECT_EQ(std::memcmp(&sample.record.held_pose, &wanted.held_pose, sizeof wanted.held_pose), 0);
    EXPECT_EQ(sample.record.contacts, wanted.contacts);
    EXPECT_EQ(sample.record.level, wanted.level);
    EXPECT_EQ(sample.record.port_energy_J, wanted.port_energy_J);
    EXPECT_EQ(sample.record.world_step, wanted.world_step);
    EXPECT_EQ(sample.record.total_ns, wanted.total_ns);
    EXPECT_EQ(sample.record.scheduled_ns, wanted.scheduled_ns);
    EXPECT_EQ(sample.coordinates[1], -0.5 * static_cast<double>(row));
    EXPECT_EQ(sample.time_s, static_cast<double>(row) / 1000.0);
  }
  EXPECT_THROW(log.sample(kRows), InputError);
  EXPECT_THROW(log.column("/samples/no_such"), InputError);
}

TEST_F(LogFileTest, logs_from_before_a_column_read_as_zero_there) {
  const fs::path path = write("a.h5");
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, "/samples/level", H5P_DEFAULT), 0);
  ASSERT_GE(H5Ldelete(file, "/timing/world_age_ns", H5P_DEFAULT), 0);
  H5Fclose(file);
  const LogSample sample = LogReader(path).sample(1234);
  EXPECT_EQ(sample.record.level, 0u);
  EXPECT_FALSE(LogReader(path).has("/samples/level"));
  EXPECT_TRUE(LogReader(path).has("/samples/contacts"));
  EXPECT_EQ(sample.record.contacts, sample_of(1234).contacts);
}

TEST_F(LogFileTest, the_same_samples_give_the_same_bytes) {
  EXPECT_EQ(bytes_of(write("a.h5")), bytes_of(write("b.h5")));
}

TEST_F(LogFileTest, an_unfinished_log_leaves_nothing_and_harms_no_older_one) {
  const fs::path path = write("a.h5");
  const std::string before = bytes_of(path);
  {
    LogWriter writer(path, description());
    writer.append(sample_of(0), std::array<double, 2>{});
  }
  EXPECT_EQ(bytes_of(path), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
}

TEST_F(LogFileTest, foreign_files_are_refused) {
  EXPECT_THROW(LogReader(folder_ / "missing.h5"), InputError);
  std::ofstream(folder_ / "text.h5") << "not hdf5";
  EXPECT_THROW(LogReader(folder_ / "text.h5"), InputError);
}

TEST_F(LogFileTest, frames_take_the_held_body_from_the_row_and_the_others_from_the_start) {
  const LogReader log(write("a.h5"));
  EXPECT_EQ(row_of_strongest_contact(log), 1234u);
  EXPECT_EQ(row_at(log, 1.5), 1500u);
  EXPECT_THROW(row_at(log, 99.0), InputError);
  const SceneFrame frame = frame_of(log, 1234);
  ASSERT_EQ(frame.bodies.size(), 2u);
  EXPECT_EQ(frame.bodies[0].coordinates, (std::vector<double>{1234.0, -617.0}));
  EXPECT_EQ(frame.bodies[1].pose.position.x(), std::sin(1.234));
  EXPECT_EQ(frame.force->y(), 7.25);
}

TEST_F(LogFileTest, plots_to_a_picture_and_refuses_an_empty_range) {
  const LogReader log(write("a.h5"));
  const fs::path picture = folder_ / "it's a plot.png";
  plot_log(log, {}, picture);
  EXPECT_EQ(bytes_of(picture).substr(1, 3), "PNG");
  PlotSettings nothing;
  nothing.from_s = 100.0;
  EXPECT_THROW(plot_log(log, nothing, picture), InputError);
}

TEST_F(LogFileTest, a_plot_without_gnuplot_is_refused_and_not_a_broken_pipe) {
  const LogReader log(write("a.h5"));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder_.c_str(), 1);
  std::string refusal;
  try {
    plot_log(log, {}, folder_ / "plot.png");
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

#include "rt/device/hand_script.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

class HandScriptFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  HandScript load(const std::string& text) {
    std::ofstream(path_) << text;
    return HandScript::load(path_);
  }
  // The message with which `text` is refused; empty if it is not.
  std::string refusal(const std::string& text) {
    try {
      load(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
  std::string at_line(int line, const std::string& rest) {
    return path_.string() + ":" + std::to_string(line) + ": " + rest;
  }

  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) / ("hand_" + std::to_string(getpid()) + ".csv");
  const std::string header_ = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n";
};

TEST_F(HandScriptFile, interpolates_between_rows_and_keeps_the_first_and_last_pose) {
  const HandScript script = load(
      "# a comment\n"
      "time_s, x_m, y_m, z_m, qw, qx, qy, qz\r\n"
      "1.0, 0.0, 0.1, 0.0, 1, 0, 0, 0\r\n"
      "\n"
      "2.0, 0.2, 0.1, -0.4, 0.7071067811865476, 0, 0.7071067811865476, 0\n");
  EXPECT_EQ(script.pose(-5.0).position, Vector3(0.0, 0.1, 0.0));
  EXPECT_EQ(script.pose(1.0).position, Vector3(0.0, 0.1, 0.0));
  EXPECT_LE((script.pose(1.25).position - Vector3(0.05, 0.1, -0.1)).norm(), 1e-16);
  // A quarter of 90 degrees about y.
  const Quaternion quarter = rotation_exponential({0.0, 0.39269908169872414, 0.0});
  EXPECT_LE(script.pose(1.25).orientation.angularDistance(quarter), 1e-15);
  EXPECT_EQ(script.pose(2.0).position, Vector3(0.2, 0.1, -0.4));
  EXPECT_EQ(script.pose(9.0).position, Vector3(0.2, 0.1, -0.4));
  EXPECT_DOUBLE_EQ(script.end_time(), 2.0);
}

TEST_F(HandScriptFile, takes_columns_in_any_order) {
  const HandScript script = load("qw,qx,qy,qz,z_m,y_m,x_m,time_s\n1,0,0,0,3,2,1,0\n");
  EXPECT_EQ(script.pose(0.0).position, Vector3(1.0, 2.0, 3.0));
}

TEST_F(HandScriptFile, holds_its_buttons_from_row_to_row) {
  const HandScript script = load(
      "time_s,buttons,x_m,y_m,z_m,qw,qx,qy,qz\n"
      "1,0,0,0,0,1,0,0,0\n2,5,0,0,0,1,0,0,0\n3,4294967295,0,0,0,1,0,0,0\n4,1,0,0,0,1,0,0,0\n");
  EXPECT_EQ(script.buttons(0.5), 0U);
  EXPECT_EQ(script.buttons(1.999), 0U);
  EXPECT_EQ(script.buttons(2.0), 5U);
  EXPECT_EQ(script.buttons(2.999), 5U);
  EXPECT_EQ(script.buttons(3.0), 4294967295U);
  EXPECT_EQ(script.buttons(9.0), 1U);
  EXPECT_EQ(load(header_ + "0,0,0,0,1,0,0,0\n").buttons(1.0), 0U);
  for (const char* wrong : {"-1", "1.5", "4294967296", "", "x"}) {
    EXPECT_EQ(refusal("time_s,x_m,y_m,z_m,qw,qx,qy,qz,buttons\n0,0,0,0,1,0,0,0," +
                      std::string(wrong) + "\n"),
              at_line(2, "buttons: found '" + std::string(wrong) +
                             "', expected an integer, one bit for each of up to 32 buttons"));
  }
}

TEST_F(HandScriptFile, turns_the_shorter_way) {
  // The second quaternion is minus a rotation of 0.2 rad.
  const HandScript script =
      load(header_ + "0,0,0,0,1,0,0,0\n1,0,0,0,-0.9950041652780258,0,0,-0.09983341664682815\n");
  EXPECT_NEAR(script.pose(0.5).orientation.angularDistance(Quaternion::Identity()), 0.1, 1e-12);
  EXPECT_NEAR(script.twist(0.5).angular.z(), 0.2, 1e-12);
}

TEST_F(HandScriptFile, twist_is_the_derivative_of_the_pose) {
  const HandScript script = load(header_ +
                                 "0,0,0,0,1,0,0,0\n"
                                 "0.5,0.1,0.2,-0.1,0.9,0.3,0.3,0.1\n"
                                 "0.8,0.0,0.2,-0.1,0.6,-0.4,0.5,0.479583152331272\n");
  const double h = 1e-6;  // truncation h² |w|³, rounding 1e-16/h: 1e-10
  for (const double t : {0.1, 0.3, 0.6, 0.7}) {
    const Pose before = script.pose(t - h), after = script.pose(t + h);
    const Twist twist = script.twist(t);
    EXPECT_LE(((after.position - before.position) / (2 * h) - twist.linear).norm(), 1e-8);
    const Vector3 w =
        rotation_logarithm(after.orientation * before.orientation.conjugate()) / (2 * h);
    EXPECT_LE((w - twist.angular).norm(), 1e-8);
  }
  EXPECT_EQ(script.twist(-1.0).linear, Vector3(Vector3::Zero()));
  EXPECT_EQ(script.twist(0.8).angular, Vector3(Vector3::Zero()));
}

TEST_F(HandScriptFile, one_row_is_a_hand_at_rest) {
  const HandScript script = load(header_ + "0,0.1,0,0,1,0,0,0\n");
  EXPECT_EQ(script.pose(3.0).position, Vector3(0.1, 0.0, 0.0));
  EXPECT_EQ(script.twist(0.0).linear, Vector3(Vector3::Zero()));
}

TEST_F(HandScriptFile, a_default_script_rests_at_the_origin) {
  const HandScript script;
  EXPECT_EQ(script.pose(1.0).position, Vector3(Vector3::Zero()));
  EXPECT_EQ(script.pose(1.0).orientation.coeffs(), Quaternion::Identity().coeffs());
}

TEST_F(HandScriptFile, what_is_no_csv_file_is_refused_by_its_kind) {
  const std::string expected =
      ", expected a CSV file with the header " + header_.substr(0, header_.size() - 1);
  EXPECT_EQ(refusal("\x89HDF\r\n\x1a\n"),
            path_.string() + ": found an HDF5 file (a log?)" + expected);
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const auto refused = [&](const std::filesystem::path& path) -> std::string {
    try {
      HandScript::load(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(refused(path_), path_.string() + ": found a FIFO" + expected);
  EXPECT_EQ(refused("/dev/zero"), "/dev/zero: found a device" + expected);
  std::filesystem::remove(path_);
  EXPECT_EQ(refused(path_), path_.string() + ": no such file" + expected);
  std::ofstream(path_) << header_;
  std::filesystem::resize_file(path_, std::uint64_t{40} << 30);
  EXPECT_EQ(refused(path_), path_.string() + ": found 40 GiB" + expected + " of at most 128 MiB");
}

TEST_F(HandScriptFile, a_script_has_at_most_a_million_rows) {
  std::string text = header_;
  for (int i = 0; i <= 1'000'000; ++i) text += std::to_string(i) + ",0,0,0,1,0,0,0\n";
  EXPECT_EQ(refusal(text), at_line(1'000'002, "found more rows, expected at most 1000000 rows"));
}

TEST_F(HandScriptFile, refuses_bad_files_with_one_line) {
  EXPECT_EQ(refusal(""), path_.string() + ": found an empty file, expected the header " +
                             header_.substr(0, header_.size() - 1));
  EXPECT_EQ(refusal("time_s,x_m,y_m,z_m,qw,qx,qy\n0,0,0,0,1,0,0\n"),
            at_line(1,
                    "found no column 'qz' in 'time_s,x_m,y_m,z_m,qw,qx,qy', expected the header "
                    "time_s,x_m,y_m,z_m,qw,qx,qy,qz"));
  EXPECT_NE(refusal("time_s,x_m,y_m,z_m,qw,qx,qy,qz,force\n").find("found 9 columns"),
            std::string::npos);
  EXPECT_EQ(refusal(header_), path_.string() + ": found no row of numbers, expected at least one");
  EXPECT_EQ(refusal(header_ + "0,0,0,0,1,0,0\n"),
            at_line(2, "found 7 values, expected 8 values, one for each column"));
  EXPECT_EQ(refusal(header_ + "0,0,a,0,1,0,0,0\n"),
            at_line(2, "y_m: found 'a', expected a finite number"));
  EXPECT_EQ(refusal(header_ + "0,0,nan,0,1,0,0,0\n"),
            at_line(2, "y_m: found 'nan', expected a finite number"));
  EXPECT_EQ(refusal(header_ + "0,0,1e400,0,1,0,0,0\n"),
            at_line(2, "y_m: found '1e400', expected a finite number"));
  EXPECT_EQ(refusal(header_ + "0,0,,0,1,0,0,0\n"),
            at_line(2, "y_m: found '', expected a finite number"));
  EXPECT_EQ(refusal(header_ + "0,0,0,0,1,0,0,0\n0,0,0,0,1,0,0,0\n"),
            at_line(3, "time_s: found 0 s after 0 s, expected increasing times"));
  EXPECT_EQ(
      refusal(header_ + "0,0,0,0,1,0,0.1,0\n"),
      at_line(2, "qw..qz: found a quaternion of length 1.00499, expected length 1 within 0.001"));
  EXPECT_NE(refusal(header_ + "0,0,0,0,0,0,0,0\n").find("length 0"), std::string::npos);
}

// The same row as spreadsheets, numpy and pandas write it.
TEST_F(HandScriptFile, reads_the_dialects_of_other_programs) {
  const std::string rows[] = {
      "\xef\xbb\xbftime_s,x_m,y_m,z_m,qw,qx,qy,qz,buttons\r\n0,0.25,0,-0.5,1,0,0,0,3\r\n",
      "time_s;x_m;y_m;z_m;qw;qx;qy;qz;buttons\r\n0;0,25;0;-0,5;1;0;0;0;3\r\n;;;;;;;;\r\n",
      "time_s\tx_m\ty_m\tz_m\tqw\tqx\tqy\tqz\tbuttons\n0\t+0.25\t0\t-0,5\t1\t0\t0\t0\t3\n",
      "\"time_s\",\"x_m\",\"y_m\",\"z_m\",\"qw\",\"qx\",\"qy\",\"qz\",\"buttons\"\n"
      "0,.25,0,-0.5,1,0,0,0,3.0\n,,,,,,,,\n",
      "# time_s x_m y_m z_m qw qx qy qz buttons\n"
      "0.000000000000000000e+00 2.500000000000000000e-01 0.000000000000000000e+00 "
      "-5.000000000000000000e-01 1.000000000000000000e+00 0 0 0 3.000000000000000000e+00\n",
      "# made by a script\n# time_s,x_m,y_m,z_m,qw,qx,qy,qz,buttons\n# more\n"
      "+0.0,+0.25,0,-5e-1,1,0,0,0,+3\n"};
  for (const std::string& text : rows) {
    ASSERT_EQ(refusal(text), "") << text;
    const HandScript script = HandScript::load(path_);
    ASSERT_EQ(script.rows().size(), 1U) << text;
    EXPECT_EQ(script.pose(0.0).position, Vector3(0.25, 0.0, -0.5)) << text;
    EXPECT_EQ(script.buttons(0.0), 3U) << text;
  }
}

TEST_F(HandScriptFile, times_far_from_0_and_an_end_before_0_are_refused) {
  const std::string row = ",0,0,0,1,0,0,0\n";
  constexpr const char* kExpected =
      ", expected times within 1e+06 s of 0, the last one not before 0";
  EXPECT_EQ(refusal(header_ + "0" + row + "1e17" + row),
            at_line(3, std::string("time_s: found 1e+17 s") + kExpected));
  EXPECT_EQ(refusal(header_ + "-1e17" + row + "1" + row),
            at_line(2, std::string("time_s: found -1e+17 s") + kExpected));
  EXPECT_EQ(refusal(header_ + "-2" + row + "-1" + row),
            at_line(3, std::string("time_s: found -1 s") + kExpected));
  EXPECT_EQ(refusal(header_ + "-2" + row + "1e6" + row), "");
}

TEST_F(HandScriptFile, a_zero_byte_is_refused_and_shown) {
  std::string text = header_ + "0,0,-0?.02,0,1,0,0,0\n";
  text[text.find('?')] = '\0';
  EXPECT_EQ(refusal(text), at_line(2, "found a zero byte, '0,0,-0\\x00', expected text"));
  text = "# a comment?\n" + header_;
  text[text.find('?')] = '\0';
  EXPECT_EQ(refusal(text), at_line(1, "found a zero byte, '# a comment\\x00', expected text"));
}

TEST_F(HandScriptFile, names_the_cause_where_a_dialect_cannot_be_read) {
  const std::string first = path_.string() + ":1: ", second = path_.string() + ":2: ";
  const std::string utf16("\xff\xfet\0i\0m\0e\0_\0s\0", 14);
  EXPECT_EQ(refusal(utf16), first + "found UTF-16, expected UTF-8 (in Excel: CSV UTF-8)");
  EXPECT_EQ(refusal(utf16.substr(2)), first + "found UTF-16, expected UTF-8 (in Excel: CSV UTF-8)");
  EXPECT_EQ(refusal(",time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,0,1,0,0,0\n"),
            first +
                "found a column without a name in ',time_s,x_m,y_m,z_m,qw,qx,qy,qz', such as "
                "the index of pandas (to_csv(index=False) writes none), expected the header "
                "time_s,x_m,y_m,z_m,qw,qx,qy,qz");
  EXPECT_NE(refusal("\ttime_s\tx_m\ty_m\tz_m\tqw\tqx\tqy\tqz\n").find("without a name"),
            std::string::npos);
  EXPECT_EQ(refusal("0,0,0,0,1,0,0,0\n"),
            first +
                "found numbers and no header before them, expected the header "
                "time_s,x_m,y_m,z_m,qw,qx,qy,qz");
  EXPECT_EQ(refusal(header_ + "0,0,0,25,0,-0,5,1,0,0,0\n"),
            second +
                "found 11 values (decimal commas need semicolons between values), expected 8 "
                "values, one for each column");
  EXPECT_EQ(refusal("time_s,x_m,y_m,z_m,qw,qx,qy,qz,buttons\n0,0,0,0,1,0,0,0,1.5\n"),
            second +
                "buttons: found '1.5', expected an integer, one bit for each of up to 32 "
                "buttons");
  EXPECT_EQ(refusal(header_ + "0,+-1,0,0,1,0,0,0\n"),
            second + "x_m: found '+-1', expected a finite number");
}

TEST_F(HandScriptFile, refuses_a_jump) {
  EXPECT_EQ(
      refusal(header_ + "0,0,0,0,1,0,0,0\n0.01,0.1,0,0,1,0,0,0\n"),
      at_line(3, "found a jump of 0.1 m in 0.01 s (10 m/s), expected at most 5 m/s between rows"));
  EXPECT_EQ(refusal(header_ + "0,0,0,0,1,0,0,0\n0.01,0,0,0,0,1,0,0\n"),
            at_line(3,
                    "found a jump of 3.142 rad in 0.01 s (314.2 rad/s), expected at most 50 rad/s "
                    "between rows"));
  EXPECT_EQ(refusal(header_ + "0,0,0,0,1,0,0,0\n0.01,0.049,0,0,1,0,0,0\n"), "");
}

TEST_F(HandScriptFile, refuses_a_missing_file) {
  EXPECT_THROW(HandScript::load("/nowhere/hand.csv"), InputError);
  EXPECT_THROW(HandScript::load(::testing::TempDir()), InputError);
}

TEST(HandScript, refuses_bad_rows_from_memory) {
  EXPECT_THROW(HandScript(std::vector<HandSample>{}), InputError);
  Pose lost;
  lost.position.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(HandScript({{0.0, lost}}), InputError);
}

}  // namespace
}  // namespace haptic

#include "host/export/csv_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/export/log_table.h"
#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class CsvFileTest : public WrittenLogTest {
 protected:
  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(CsvFileTest, fields_with_commas_and_quotes_are_quoted_and_numbers_read_back_exactly) {
  Content content;
  content.rows = 3;
  content.description.state =
      StateLayout(std::vector<StateBlock>{{.name = "a/b", .unit = "N, \"z\""}});
  const std::vector<double> values = {0.1, 1.0 / 3.0, NAN};
  content.state = [&](std::uint64_t i) { return std::vector<double>{values[i]}; };
  const LogReader log = written(content);
  write_csv(LogTable(log, {"a/b", "cycle"}, {}), folder_ / "a.csv");
  EXPECT_EQ(text_of("a.csv"),
            "time [s],\"a/b [N, \"\"z\"\"]\",cycle\r\n0,0.1,0\r\n0.001,0.3333333333333333,1\r\n"
            "0.002,nan,2\r\n");
}

TEST_F(CsvFileTest, a_full_disk_is_an_error_that_leaves_the_old_file) {
  const LogReader log = written({});
  std::filesystem::create_directory(folder_ / "sub");
  EXPECT_THROW(write_csv(LogTable(log, {}, {}), folder_ / "nowhere" / "a.csv"), OperationError);
  std::ofstream(folder_ / "b.csv") << "old";
  // The limit of a file's size stands for the end of the disk.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1000, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string refusal;
  try {
    write_csv(LogTable(log, {}, {}), folder_ / "b.csv");
  } catch (const OperationError& error) {
    refusal = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(refusal, (folder_ / "b.csv").string() + ": File too large");
  EXPECT_EQ(text_of("b.csv"), "old");
}

}  // namespace
}  // namespace haptic

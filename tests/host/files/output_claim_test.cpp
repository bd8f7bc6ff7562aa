#include "host/files/output_claim.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "host/files/temporary_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

class OutputClaimTest : public testing::Test {
 protected:
  OutputClaimTest()
      : folder_(testing::TempDir() + "haptic_claim_" + std::to_string(::getpid())),
        log_(folder_ / "log.h5") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~OutputClaimTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  std::string read(const std::filesystem::path& path) {
    std::string text;
    std::getline(std::ifstream(path), text);
    return text;
  }
  std::string refusal(Existing existing) {
    try {
      const OutputClaim claim(log_, existing);
      return "claimed";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  std::filesystem::path folder_, log_;
};

TEST_F(OutputClaimTest, a_new_name_is_taken_until_the_claim_ends) {
  {
    const OutputClaim claim(log_, Existing::kRefused);
    EXPECT_EQ(refusal(Existing::kRefused),
              log_.string() + ": the file exists, expected a new name, or --force or --number");
    EXPECT_EQ(refusal(Existing::kReplaced), log_.string() +
                                                ": another process is writing the file, expected a "
                                                "new name, or --number");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(refusal(Existing::kRefused), "claimed");
}

TEST_F(OutputClaimTest, a_file_that_has_replaced_the_claimed_name_stays) {
  {
    const OutputClaim claim(log_, Existing::kRefused);
    write(folder_ / "new", "complete");
    std::filesystem::rename(folder_ / "new", log_);
  }
  EXPECT_EQ(read(log_), "complete");
}

TEST_F(OutputClaimTest, an_existing_file_is_refused_or_kept_until_it_is_replaced) {
  write(log_, "old");
  EXPECT_NE(refusal(Existing::kRefused), "claimed");
  {
    const OutputClaim claim(log_, Existing::kReplaced);
    EXPECT_NE(refusal(Existing::kReplaced), "claimed");
  }
  EXPECT_EQ(read(log_), "old");
}

TEST_F(OutputClaimTest, a_file_that_is_being_written_is_never_replaced) {
  write(log_, "growing");
  {
    TemporaryFile writer(log_);
    writer.publish();
    EXPECT_NE(refusal(Existing::kReplaced), "claimed");
  }
  EXPECT_EQ(refusal(Existing::kReplaced), "claimed");
}

TEST_F(OutputClaimTest, a_link_is_not_followed) {
  write(folder_ / "other", "of somebody else");
  std::filesystem::create_symlink(folder_ / "other", log_);
  EXPECT_NE(refusal(Existing::kReplaced), "claimed");
  EXPECT_EQ(read(folder_ / "other"), "of somebody else");
}

TEST_F(OutputClaimTest, free_names_are_counted) {
  write(log_, "first");
  write(folder_ / "log-3.h5", "third");
  const OutputClaim second = OutputClaim::of_free_name(log_);
  EXPECT_EQ(second.target(), folder_ / "log-2.h5");
  EXPECT_EQ(OutputClaim::of_free_name(log_).target(), folder_ / "log-4.h5");
  EXPECT_FALSE(OutputClaim::of_new_name(log_).has_value());
}

}  // namespace
}  // namespace haptic

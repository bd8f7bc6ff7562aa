#include "host/cli/log_warnings.h"

#include <fmt/format.h>

#include "host/log/log_completeness.h"
#include "host/log/logged_models.h"
#include "shared/error.h"

namespace haptic {

std::vector<std::string> warn_of_missing_data(const LogReader& log) {
  std::vector<std::string> lacks = completeness(log);
  for (const std::string& sentence : lacks) {
    fmt::print(stderr, "haptic: warning: {}: {}\n", log.path().string(), sentence);
  }
  return lacks;
}

void check_drawn_models(std::span<const LogBody> bodies, const std::filesystem::path& source,
                        bool any_model) {
  try {
    expect_models_that_ran(bodies, source);
  } catch (const InputError& error) {
    if (!any_model) throw;
    fmt::print(stderr, "haptic: warning: {}\n", error.what());
  }
}

}  // namespace haptic

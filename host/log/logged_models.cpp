#include "host/log/logged_models.h"

#include <fmt/format.h>

#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {

LoggedModel state_of(const LogBody& body) {
  if (body.model_path.empty() || body.model_path.front() != '/') return LoggedModel::kShape;
  try {
    const ModelFile model(body.model_path);
    return model.content_hash() == body.model_hash ? LoggedModel::kSame : LoggedModel::kChanged;
  } catch (const std::runtime_error&) {
    return LoggedModel::kUnreadable;
  }
}

void expect_models_that_ran(std::span<const LogBody> bodies, const std::filesystem::path& source) {
  for (const LogBody& body : bodies) {
    if (state_of(body) != LoggedModel::kChanged) continue;
    throw InputError(source.string(), body.name,
                     fmt::format("{} was changed since it ran", body.model_path),
                     fmt::format("the model {:016x}, or --any-model", body.model_hash));
  }
}

}  // namespace haptic

#pragma once

#include <filesystem>
#include <span>

#include "host/log/log_description.h"

namespace haptic {

/// What has become of the model of a body since it ran.
enum class LoggedModel : unsigned char {
  kShape,       ///< the body is a shape and has no file
  kSame,        ///< the file has the content that ran
  kChanged,     ///< the file has another content
  kUnreadable,  ///< there is no model of this name any more, or not for this user
};

LoggedModel state_of(const LogBody& body);

/// Bodies are drawn with the models that ran, or not at all.
/// @param source  of the bodies, for the message: the log, or the daemon
/// @throws InputError if the file of a model has another content than that of its body
void expect_models_that_ran(std::span<const LogBody> bodies, const std::filesystem::path& source);

}  // namespace haptic

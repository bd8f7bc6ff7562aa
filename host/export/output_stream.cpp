#include "host/export/output_stream.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "shared/error.h"

namespace haptic {

OutputStream::OutputStream(const std::filesystem::path& target)
    : temporary_(target), file_(::fdopen(::dup(temporary_.descriptor()), "wb")) {
  if (file_ == nullptr) fail();
}

OutputStream::~OutputStream() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputStream::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  size_ += bytes.size();
}

void OutputStream::commit() {
  if (std::fflush(file_) != 0) fail();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  temporary_.commit();
}

void OutputStream::fail() const {
  throw OperationError(
      fmt::format("{}: {}", temporary_.target().string(), std::generic_category().message(errno)));
}

}  // namespace haptic

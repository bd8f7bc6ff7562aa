#include "host/window/mouse_pull.h"

#include <fmt/format.h>

#include <utility>

#include "shared/error.h"
#include "shared/ipc/command_client.h"

namespace haptic {

MousePull::MousePull(std::string daemon_name)
    : daemon_name_(std::move(daemon_name)), thread_([this] { run(); }) {}

MousePull::~MousePull() {
  let_go();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void MousePull::pull(const std::string& body, const PullRequest& request) {
  const std::lock_guard lock(mutex_);
  next_ = Job{body, request};
  pulling_ = true;
  changed_.notify_one();
}

void MousePull::let_go() {
  const std::lock_guard lock(mutex_);
  if (!pulling_) return;
  next_ = Job{};
  pulling_ = false;
  changed_.notify_one();
}

std::string MousePull::message() const {
  const std::lock_guard lock(mutex_);
  return message_;
}

void MousePull::run() {
  std::optional<CommandClient> client;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return next_ || ending_; });
    if (!next_) return;
    const Job job = *std::exchange(next_, std::nullopt);
    lock.unlock();
    std::string message;
    try {
      if (!client) client.emplace(daemon_name_);
      const CommandReply reply = client->pull(job.body, job.request);
      if (reply.answer != CommandAnswer::kApplied) {
        message = fmt::format("pull: {}{}{}", reason(reply.answer),
                              reply.text[0] != '\0' ? ": " : "", reply.text);
      }
    } catch (const std::runtime_error& error) {
      message = error.what();
      client.reset();  // a daemon that restarted is found anew at the next pull
    }
    lock.lock();
    message_ = std::move(message);
  }
}

}  // namespace haptic

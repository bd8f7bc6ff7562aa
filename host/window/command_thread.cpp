#include "host/window/command_thread.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace haptic {

CommandThread::CommandThread(std::string daemon_name)
    : daemon_name_(std::move(daemon_name)), thread_([this] { run(); }) {}

CommandThread::~CommandThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CommandThread::post(Job job) {
  const std::lock_guard lock(mutex_);
  next_ = std::move(job);
  changed_.notify_one();
}

std::string CommandThread::message() const {
  const std::lock_guard lock(mutex_);
  return message_;
}

void CommandThread::run() {
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
      message = job(*client);
    } catch (const std::runtime_error& error) {
      message = error.what();
      client.reset();  // a daemon that restarted is found anew at the next job
    }
    lock.lock();
    message_ = std::move(message);
  }
}

std::string refusal_of(const std::string& command, const CommandReply& reply) {
  if (reply.answer == CommandAnswer::kApplied) return {};
  return fmt::format("{}: {}{}{}", command, reason(reply.answer), reply.text[0] != '\0' ? ": " : "",
                     reply.text);
}

}  // namespace haptic

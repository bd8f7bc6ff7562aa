#include "rt/device/safe_outputs.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "rt/device/comedi/comedi_outputs.h"
#include "rt/device/external/external_outputs.h"
#include "rt/device/falcon/falcon_outputs.h"
#include "rt/device/simulated_settings.h"
#include "shared/error.h"

namespace haptic {
namespace {

class SafeComedi final : public SafeOutputs {
 public:
  explicit SafeComedi(const DeviceManifest& manifest) : settings_(read_board(manifest)) {}

  OutputReach reach(pid_t) override {
    if (!open()) return {false, failure_};
    const std::string obstacle = outputs_->obstacle();
    if (obstacle.empty()) return {true, outputs_->title() + " is open and answers"};
    const std::string words = outputs_->title() + ": " + obstacle;
    outputs_.reset();  // a board that was taken out and put back needs a new descriptor
    return {false, words};
  }

  bool make_safe() override {
    if (!open()) return false;
    locked_ = outputs_->lock() || locked_;
    if (outputs_->make_safe()) {
      failure_.clear();
      return true;
    }
    failure_ = outputs_->enable_dropped()
                   ? outputs_->title() +
                         ": enable line dropped and brake applied, but an output was refused"
                   : outputs_->title() + ": outputs, enable line and brake all refused the write";
    // A board that was taken out and put back needs a new descriptor.
    if (!outputs_->enable_dropped()) outputs_.reset();
    return false;
  }

  void release() override {
    if (outputs_ && locked_) outputs_->unlock();
    locked_ = false;
  }

  std::string describe() const override {
    if (!failure_.empty()) return failure_;
    return (outputs_ ? outputs_->title() : "comedi") +
           ": enable line dropped, brake applied, analog outputs at zero volts";
  }

 private:
  bool open() {
    if (outputs_) return true;
    try {
      outputs_.emplace(settings_);
    } catch (const std::exception& error) {  // a board that is not there yet, or no longer
      failure_ = error.what();
    }
    return outputs_.has_value();
  }

  BoardSettings settings_;
  std::optional<ComediOutputs> outputs_;
  bool locked_ = false;
  std::string failure_;
};

class SafeFalcon final : public SafeOutputs {
 public:
  explicit SafeFalcon(const DeviceManifest& manifest) : outputs_(manifest) {}
  OutputReach reach(pid_t) override {
    const std::string obstacle = outputs_.obstacle();
    if (obstacle.empty()) return {true, "falcon: its USB interface can be taken"};
    return {false, "falcon: " + obstacle};
  }
  bool make_safe() override {
    safe_ = outputs_.make_safe();
    return safe_;
  }
  std::string describe() const override {
    return safe_ ? "falcon: zero torque accepted" : "falcon: no device answered";
  }

 private:
  FalconOutputs outputs_;
  bool safe_ = false;
};

class SafeExternal final : public SafeOutputs {
 public:
  explicit SafeExternal(const DeviceManifest& manifest) : outputs_(manifest) {}
  OutputReach reach(pid_t daemon) override {
    const std::string obstacle = outputs_.obstacle(daemon);
    if (!obstacle.empty()) return {false, obstacle};
    return {true, "link to process " + std::to_string(daemon) + " is up"};
  }
  bool make_safe() override { return outputs_.make_safe(); }
  std::string describe() const override { return outputs_.describe(); }

 private:
  ExternalOutputs outputs_;
};

class SafeSimulation final : public SafeOutputs {
 public:
  OutputReach reach(pid_t) override { return {true, describe()}; }
  bool make_safe() override { return true; }
  std::string describe() const override {
    return "simulated device: there is nothing to make safe";
  }
};

}  // namespace

std::unique_ptr<SafeOutputs> safe_outputs_of(const DeviceManifest& manifest) {
  if (manifest.kind == "comedi-arm") return std::make_unique<SafeComedi>(manifest);
  if (manifest.kind == "falcon") return std::make_unique<SafeFalcon>(manifest);
  if (manifest.kind == "external") return std::make_unique<SafeExternal>(manifest);
  if (!has_motors(manifest.kind)) return std::make_unique<SafeSimulation>();
  manifest.table.refuse("kind", "found \"" + manifest.kind + "\"",
                        "a kind whose outputs this build can make safe");
}

bool make_safe_within(SafeOutputs& outputs, double seconds) {
  using namespace std::chrono;
  const auto until = steady_clock::now() + duration<double>(seconds);
  bool safe = outputs.make_safe();
  while (!safe && steady_clock::now() < until) {
    std::this_thread::sleep_for(microseconds(200));
    safe = outputs.make_safe();
  }
  outputs.release();
  return safe;
}

}  // namespace haptic

#include "host/window/live_source.h"

#include <algorithm>
#include <string_view>

#include "host/log/logged_models.h"
#include "host/log/telemetry_log.h"
#include "host/view/log_frame.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kCheckEvery_s = 0.25;

const char* text_of(DaemonLife life) {
  switch (life) {
    case DaemonLife::kClosed:
      return "the daemon has exited";
    case DaemonLife::kDead:
      return "the daemon has died";
    case DaemonLife::kRestarted:
      return "the daemon has restarted";
    case DaemonLife::kReplaced:
      return "the daemon has changed its scene";
    case DaemonLife::kAlive:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::pair<std::string, double>> numbers_of(const StateLayout& layout,
                                                       std::span<const double> state) {
  std::vector<std::pair<std::string, double>> numbers;
  for (std::size_t i = 0; i < layout.blocks().size(); ++i) {
    const StateBlock& block = layout.blocks()[i];
    if (!block.is_number()) continue;
    numbers.emplace_back(axis_label(block.name, block.unit), layout.values(i, state)[0]);
  }
  return numbers;
}

Scene LiveSource::scene() const {
  std::optional<SessionTexts> texts;
  if (reader_) texts = reader_->texts();
  if (!texts) throw OperationError("the daemon has ended or is changing its scene");
  return parse_scene(std::move(texts->scene), reader_->header().scene_path);
}

void LiveSource::connect() {
  reader_.emplace(name_);
  if (const DaemonLife life = reader_->life(); life != DaemonLife::kAlive) {
    message_ = text_of(life);  // the segment of a daemon that has ended stays until the next one
    reader_.reset();
    return;
  }
  if (reader_->header().instance == instance_) return;
  if (!any_model_) expect_models_that_ran(describe_daemon(*reader_).bodies, "daemon " + name_);
  instance_ = reader_->header().instance;
  rate_hz_ = reader_->header().rate_hz;
  length_scale_ = reader_->header().length_scale;
  is_steered_ = std::ranges::any_of(reader_->parameters(), [](const ParameterRecord& parameter) {
    return std::string_view(parameter.name) == "hand.x";
  });
  ++generation_;
}

bool LiveSource::read(Moment& moment, double elapsed_s) {
  until_check_s_ -= elapsed_s;
  try {
    if (until_check_s_ <= 0.0) {
      until_check_s_ = kCheckEvery_s;
      if (!reader_) connect();
      // After connect() no reader refers to the segment of a daemon that has ended.
      const DaemonLife life = reader_ ? reader_->life() : DaemonLife::kAlive;
      if (life != DaemonLife::kAlive) {
        message_ = text_of(life);
        reader_.reset();
        if (life == DaemonLife::kRestarted || life == DaemonLife::kReplaced) connect();
      }
    }
    TelemetrySample newest;
    if (!reader_) return false;
    if (!reader_->newest(newest)) {
      message_ = "the daemon has not run a cycle";
      return false;
    }
    moment.frame = frame_of(*reader_);
    moment.record = newest.record;
    moment.time_s =
        1e-9 * static_cast<double>(newest.record.time_ns - reader_->header().start_monotonic_ns);
    moment.numbers = numbers_of(reader_->state(), newest.state);
    moment.warnings = find_warnings(reader_->statistics().warnings, rate_hz_);
    message_.clear();
    return true;
  } catch (const std::runtime_error& error) {  // InputError, OperationError: kept on trying
    message_ = error.what();
    reader_.reset();
    return false;
  }
}

}  // namespace haptic

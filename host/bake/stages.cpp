#include "host/bake/stages.h"

#include <fmt/format.h>

#include <cstring>

#include "host/bake/peak_memory.h"

namespace haptic {
namespace {

/// Sum over the ranks, on rank 0.
double peak_of_all(const Ranks& ranks) {
  const double mine = peak_memory();
  Ranks::Bytes bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  double sum = 0.0;
  for (const Ranks::Bytes& each : ranks.gather(std::move(bytes))) {
    double peak = 0.0;
    std::memcpy(&peak, each.data(), sizeof peak);
    sum += peak;
  }
  return sum;
}

}  // namespace

Stages::Stages(StageProgress& progress, const Ranks& ranks, const StageCache* cache)
    : progress_(progress), ranks_(ranks), cache_(ranks.first() ? cache : nullptr) {
  if (cache_) tool_ = tool_digest();
}

bool Stages::take(const std::string& name, const StageDigest& key, Ranks::Bytes& bytes,
                  StageDigest& result, const std::function<void()>& decode) const {
  std::string damage;
  std::optional<StageEntry> entry;
  if (cache_) entry = cache_->load(name, key, damage);
  if (entry) {
    try {
      bytes = std::move(entry->bytes);
      decode();
    } catch (const OperationError& error) {
      damage = error.what();
      entry.reset();
    }
  }
  Ranks::Bytes kept = {std::byte{entry.has_value()}};
  ranks_.broadcast(kept);
  if (entry) {
    result = entry->result;
    progress_.keep({name, entry->seconds, entry->peak_bytes, true}, entry->notes);
  } else if (!damage.empty()) {
    progress_.warn(
        fmt::format("{}: the stored result is damaged ({}); repeating the stage", name, damage));
  }
  return kept[0] != std::byte{0};
}

void Stages::measure(const std::string& name, RunOn run_on,
                     const std::function<void(const Fraction&)>& work) const {
  if (ranks_.first() || run_on == RunOn::kAll) {
    progress_.run(name, work, [this] { return peak_of_all(ranks_); });
  } else {
    reset_peak_memory();
    peak_of_all(ranks_);
  }
}

void Stages::keep(const std::string& name, const StageDigest& key, const Ranks::Bytes& bytes,
                  const StageDigest& result) const {
  if (!cache_) return;
  const StageCost& cost = progress_.costs().back();
  cache_->store(name, {key, result, cost.seconds, cost.peak_bytes, progress_.last_notes(), bytes});
}

void Stages::run(const std::string& name, const std::function<void()>& work) const {
  measure(name, RunOn::kFirst, [&](const Fraction&) { work(); });
}

}  // namespace haptic

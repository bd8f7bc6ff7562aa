#pragma once

#include <functional>
#include <string>
#include <utility>

#include "host/bake/ranks.h"
#include "host/bake/stage_cache.h"
#include "host/bake/stage_progress.h"

namespace haptic {

template <typename T>
struct StageResult {
  T value{};
  /// Digest of the value; zero without a cache.
  StageDigest digest;
};

/// Runs the stages of a bake. A result is taken from the cache if everything it depends on is
/// unchanged; the other stages are run, shown and measured, and their results stored. Results are
/// distributed to all ranks.
class Stages {
 public:
  using Fraction = StageProgress::Fraction;
  /// Which ranks run the stage: rank 0 while the others wait, or all, with the result on rank 0.
  enum class RunOn { kFirst, kAll };
  /// Which ranks get the result; on the others the value is empty.
  enum class ResultOn { kFirst, kAll };

  /// @param cache nullptr: results are not stored; only the cache of rank 0 is used
  Stages(StageProgress& progress, const Ranks& ranks, const StageCache* cache);

  StageProgress& progress() const { return progress_; }
  const Ranks& ranks() const { return ranks_; }

  /// @throws whatever `work` throws
  template <typename T>
  StageResult<T> run(const std::string& name, const StageKey& key, RunOn run_on, ResultOn result_on,
                     const std::function<T(const Fraction&)>& work) const {
    StageResult<T> result;
    const StageDigest digest = key.digest(tool_);
    Ranks::Bytes bytes;
    const bool kept =
        take(name, digest, bytes, result.digest, [&] { result.value = decode_stage<T>(bytes); });
    if (!kept) {
      measure(name, run_on, [&](const Fraction& fraction) { result.value = work(fraction); });
      if (ranks_.first() && (cache_ || ranks_.size() > 1)) {
        bytes = encode_stage(result.value);
        result.digest = digest_of(bytes);
        keep(name, digest, bytes, result.digest);
      }
    }
    if (ranks_.size() == 1) return result;
    if (result_on == ResultOn::kFirst) {
      if (!ranks_.first()) result = {};
      return result;
    }
    ranks_.broadcast(bytes);
    if (!ranks_.first()) result = {decode_stage<T>(bytes), digest_of(bytes)};
    return result;
  }

  /// A stage of rank 0 without a result to store.
  void run(const std::string& name, const std::function<void()>& work) const;

 private:
  bool take(const std::string& name, const StageDigest& key, Ranks::Bytes& bytes,
            StageDigest& result, const std::function<void()>& decode) const;
  void measure(const std::string& name, RunOn run_on,
               const std::function<void(const Fraction&)>& work) const;
  void keep(const std::string& name, const StageDigest& key, const Ranks::Bytes& bytes,
            const StageDigest& result) const;

  StageProgress& progress_;
  const Ranks& ranks_;
  const StageCache* cache_;
  StageDigest tool_;
};

}  // namespace haptic

#include "rt/hapticd/event_quota.h"

#include <algorithm>
#include <utility>

namespace haptic {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kRefill_ns = kSecond_ns / EventQuota::kPerSecond;

}  // namespace

bool EventQuota::Bucket::take(std::int64_t now_ns) {
  const std::int64_t gained = (now_ns - counted_ns) / kRefill_ns;
  available = std::min(kBurst, available + gained);
  counted_ns = available == kBurst ? now_ns : counted_ns + gained * kRefill_ns;
  if (available == 0) return false;
  --available;
  return true;
}

bool EventQuota::take(uid_t user, bool executed, std::int64_t now_ns) {
  User& of_user = users_[user];
  Bucket& bucket = executed ? of_user.executed : of_user.other;
  if (bucket.take(now_ns)) return true;
  ++of_user.left_out.commands;
  of_user.left_out.has_executed |= executed;
  return false;
}

std::vector<EventQuota::LeftOut> EventQuota::collect(std::int64_t now_ns) {
  std::vector<LeftOut> all;
  if (now_ns - collected_ns_ < kSecond_ns) return all;
  for (auto& [user, of_user] : users_) {
    if (of_user.left_out.commands == 0) continue;
    all.push_back(std::exchange(of_user.left_out, LeftOut{}));
    all.back().user = user;
  }
  if (!all.empty()) collected_ns_ = now_ns;
  return all;
}

}  // namespace haptic

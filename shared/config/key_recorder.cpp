#include "shared/config/key_recorder.h"

namespace haptic {
namespace {

thread_local KeyRecorder* current_recorder = nullptr;

}  // namespace

KeyRecorder::KeyRecorder() : outer_(current_recorder) {
  current_recorder = this;
}

KeyRecorder::~KeyRecorder() {
  current_recorder = outer_;
}

KeyRecorder* KeyRecorder::current() {
  return current_recorder;
}

}  // namespace haptic

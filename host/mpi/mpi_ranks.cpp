#include "host/mpi/mpi_ranks.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <thread>

#include "shared/error.h"

namespace haptic {
namespace {

/// MPI counts are 32-bit.
constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 29;
constexpr int kTag = 1;

void require(int code, const char* what) {
  if (code != MPI_SUCCESS) throw OperationError(std::string("MPI: ") + what + " failed");
}

/// MPI waits by spinning; a rank that waits for minutes must not.
void wait_for(MPI_Request& request) {
  using namespace std::chrono_literals;
  auto pause = std::chrono::microseconds(20);
  for (int done = 0;;) {
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting");
    if (done) return;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, 2ms);
  }
}

/// `start(at, count, request)` for each part of a message that fits one of MPI's; an empty message
/// is one empty part.
template <class Byte, class Start>
void in_parts(Byte* at, std::uint64_t size, const char* what, const Start& start) {
  do {
    const std::uint64_t part = std::min(size, kMaxMessage);
    MPI_Request request = MPI_REQUEST_NULL;
    require(start(at, static_cast<int>(part), &request), what);
    wait_for(request);
    at += part;
    size -= part;
  } while (size > 0);
}

void send(const void* data, std::uint64_t size, int to) {
  in_parts(static_cast<const std::byte*>(data), size, "sending",
           [to](const std::byte* at, int count, MPI_Request* request) {
             return MPI_Isend(at, count, MPI_BYTE, to, kTag, MPI_COMM_WORLD, request);
           });
}

void receive(void* data, std::uint64_t size, int from) {
  in_parts(static_cast<std::byte*>(data), size, "receiving",
           [from](std::byte* at, int count, MPI_Request* request) {
             return MPI_Irecv(at, count, MPI_BYTE, from, kTag, MPI_COMM_WORLD, request);
           });
}

void broadcast_bytes(void* data, std::uint64_t size) {
  in_parts(static_cast<std::byte*>(data), size, "broadcasting",
           [](std::byte* at, int count, MPI_Request* request) {
             return MPI_Ibcast(at, count, MPI_BYTE, 0, MPI_COMM_WORLD, request);
           });
}

/// The launcher ends the rest of a job with SIGTERM when one of its processes has died.
extern "C" void leave_at_once(int) {
  constexpr std::string_view kLine =
      "haptic: the job was cancelled, or one of its processes died; no model was written\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine.data(), kLine.size());
  _exit(kExitFailed);
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    // MPI is called from one thread; others compute.
    require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "starting");
    require(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "starting");
    require(MPI_Comm_size(MPI_COMM_WORLD, &size_), "starting");
    if (rank_ == 0) {
      std::signal(SIGTERM, leave_at_once);
    } else {
      std::signal(SIGTERM, SIG_DFL);
    }
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void broadcast(Bytes& bytes) const override {
    std::uint64_t size = bytes.size();
    broadcast_bytes(&size, sizeof size);
    bytes.resize(size);
    broadcast_bytes(bytes.data(), size);
  }

  std::vector<Bytes> gather(Bytes mine) const override {
    std::vector<Bytes> all;
    if (rank_ > 0) {
      const std::uint64_t size = mine.size();
      send(&size, sizeof size, 0);
      if (size > 0) send(mine.data(), size, 0);
      return all;
    }
    all.push_back(std::move(mine));
    for (int from = 1; from < size_; ++from) {
      std::uint64_t size = 0;
      receive(&size, sizeof size, from);
      all.emplace_back(size);
      if (size > 0) receive(all.back().data(), size, from);
    }
    return all;
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> start_mpi_ranks() {
  return std::make_unique<MpiRanks>();
}

void abort_mpi_ranks(int exit_code) {
  int running = 0, finished = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&finished);
  if (running && !finished) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace haptic

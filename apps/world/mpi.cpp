// The processes of an mpirun. Process 0 holds the counter of tasks and writes; every thread of the others asks it for a
// task, computes, and sends the result. Threads of one process take turns with MPI.

#include <array>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include <mpi.h>

#include "base/threads.hpp"
#include "cli/sweep/world.hpp"

namespace ridge::cli::world {

namespace {

constexpr int kAsk = 1, kReply = 2, kResult = 3;
enum : std::uint64_t { kTask, kLater, kNoMore };

using Reply = std::array<std::uint64_t, 4>;  // what, task, first, count

bool joined = false;
int dismissed = 0;

void answer(OrderedWork& work, const CasesOf& cases_of, int who) {
  bool later = false;
  Reply reply{kNoMore, 0, 0, 0};
  if (const auto task = work.try_next(later)) {
    const Stretch cases = cases_of(*task);
    reply = {kTask, *task, cases.first, cases.count};
  } else if (later) {
    reply[0] = kLater;
  } else {
    ++dismissed;
  }
  MPI_Send(reply.data(), static_cast<int>(reply.size()), MPI_UINT64_T, who, kReply, MPI_COMM_WORLD);
}

void take_result(OrderedWork& work, MPI_Message& message, const MPI_Status& status) {
  int length = 0;
  MPI_Get_count(&status, MPI_BYTE, &length);
  std::string result(static_cast<std::size_t>(length), '\0');
  MPI_Mrecv(result.data(), length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  std::uint64_t task = 0;
  std::memcpy(&task, result.data() + result.size() - sizeof task, sizeof task);
  result.resize(result.size() - sizeof task);
  work.deliver(task, std::move(result));
}

void work_through(const Make& make, std::mutex& turn) {
  while (true) {
    Reply reply{};
    {
      const std::lock_guard lock(turn);
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kAsk, MPI_COMM_WORLD);
      MPI_Recv(reply.data(), static_cast<int>(reply.size()), MPI_UINT64_T, 0, kReply, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    if (reply[0] == kNoMore) return;
    if (reply[0] == kLater) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    std::string result = make({reply[2], reply[3]});
    result.append(reinterpret_cast<const char*>(&reply[1]), sizeof reply[1]);
    const std::lock_guard lock(turn);
    MPI_Send(result.data(), static_cast<int>(result.size()), MPI_BYTE, 0, kResult, MPI_COMM_WORLD);
  }
}

}  // namespace

std::string become_parallel(char**) { return ""; }

void join() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  joined = true;
}

int rank() {
  int own = 0;
  if (joined) MPI_Comm_rank(MPI_COMM_WORLD, &own);
  return own;
}

int size() {
  int all = 1;
  if (joined) MPI_Comm_size(MPI_COMM_WORLD, &all);
  return all;
}

Agreement agree(bool ready, const std::string& fingerprint) {
  const int own = ready ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all == 0) return Agreement::somebody_failed;
  std::array<char, 64> first{};
  std::memcpy(first.data(), fingerprint.data(), std::min(first.size(), fingerprint.size()));
  const auto mine = first;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  const int same = first == mine ? 1 : 0;
  MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1 ? Agreement::yes : Agreement::different;
}

void lend(OrderedWork& work, const CasesOf& cases_of) {
  while (true) {
    int there = 0;
    MPI_Message message{};
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status);
    if (there == 0) return;
    if (status.MPI_TAG == kResult) {
      take_result(work, message, status);
    } else {
      MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      answer(work, cases_of, status.MPI_SOURCE);
    }
  }
}

void dismiss(OrderedWork& work, const CasesOf& cases_of, int threads) {
  while (dismissed < threads * (size() - 1)) {
    lend(work, cases_of);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void help(const Make& make, int threads) {
  std::mutex turn;
  const auto work = [&](std::size_t) { work_through(make, turn); };
  const auto workers = start_threads(static_cast<std::size_t>(threads), work);
  // process 0 waits until it has dismissed so many: those that did not start are stood in for
  for (std::size_t i = workers.size(); i < static_cast<std::size_t>(threads); ++i) work(i);
}

void leave() {
  if (joined) MPI_Finalize();
  joined = false;
}

void end_all(int code) {
  if (joined && size() > 1) MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace ridge::cli::world

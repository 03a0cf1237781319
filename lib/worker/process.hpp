// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "base/units.hpp"
#include "plan/plan.hpp"
#include "trial/datapath.hpp"
#include "worker/codec.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace gensink::worker {

using MakeDatapath = std::function<Result<std::unique_ptr<trial::Datapath>>()>;

/// How long the parent waits for an answer before it kills the child.
struct Deadlines {
    Duration ready{std::chrono::seconds(60)};  ///< EAL start, with slow devices
    Duration open{std::chrono::seconds(30)};
    Duration call{std::chrono::seconds(10)};
    Duration quit{std::chrono::seconds(1)};
    Duration stopping{std::chrono::milliseconds(600)};  ///< for all calls after a stop was asked
};

/// What a child is for. It inherits all of this by fork, so nothing is sent.
struct Purpose {
    std::string role;                   ///< "generator", "sink", "generator and sink": for messages
    std::string netns;                  ///< entered before `make`; empty: the parent's
    std::span<const plan::Cell> cells;  ///< outlives the process object
    MakeDatapath make;                  ///< called in the child
    /// Called in the parent for a child that did not end by itself, once it is reaped: what it left
    /// behind. May be empty.
    std::function<void(pid_t)> after_death;
    int stop_fd = -1;  ///< readable once a signal asked to stop; never read here; -1: none
    Deadlines deadlines;
};

/// A child process that serves one Datapath, as its parent sees it: asked one thing at a time.
/// A child that died, was killed for silence, or talked nonsense is reaped, and each later call
/// returns the same error. The parent must have no other thread (fork), one thread uses the object.
class Process {
  public:
    /// Forks; the child starts at once. Errors: environment.
    [[nodiscard]] static Result<std::unique_ptr<Process>> spawn(Purpose purpose);

    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    Process(Process&&) = delete;
    Process& operator=(Process&&) = delete;
    /// Asks the child to quit, kills it if it does not within `deadlines.quit`, and reaps it.
    ~Process();

    /// Waits for the child's datapath. Errors: those of `make`; environment for the namespace.
    [[nodiscard]] Result<void> ready();

    /// Asks and returns the answer's payload. Errors: the child's own; measurement when it died
    /// or kept silent, with os_code EINTR when that was because of a stop.
    [[nodiscard]] Result<Bytes> call(Call what, const Bytes& payload, Duration deadline);

    /// Tells the child to quit without waiting: several can end at the same time.
    void ask_to_quit();

    /// Reaps a child that has died meanwhile. Errors: measurement with how it died.
    [[nodiscard]] Result<void> check();

    [[nodiscard]] bool alive() const { return pid_ > 0 && !death_; }

    [[nodiscard]] pid_t pid() const { return pid_; }

    /// Readable when the child has died, outside of calls.
    [[nodiscard]] int fd() const { return fd_; }

    [[nodiscard]] const Purpose& purpose() const { return purpose_; }

  private:
    using Clock = std::chrono::steady_clock;
    enum class Io { done, closed, late, garbage };

    struct Answer {
        Io io = Io::done;
        bool ok = false;
        Bytes payload;
    };

    Process(Purpose purpose, pid_t pid, int fd, int log_fd);

    Io poll_for(short events, Clock::time_point deadline);
    Io send_all(ByteView bytes, Clock::time_point deadline);
    Io receive_all(std::span<std::byte> bytes, Clock::time_point deadline);
    Answer receive(Call what, Clock::time_point deadline);
    Result<Bytes> finish(Call what, Answer answer, Duration deadline, std::size_t log_start);
    Error bury(Io io, std::string_view during, Duration deadline);
    bool reap(Duration patience);
    void end(Duration patience);
    [[nodiscard]] std::string label() const;

    Purpose purpose_;
    pid_t pid_ = -1;
    int fd_ = -1;
    int log_fd_ = -1;
    int wait_status_ = 0;
    bool reaped_ = false;
    std::optional<Error> death_;
    std::optional<Clock::time_point> stop_seen_;
};

/// Lets `duration` pass unless a child dies or a stop is asked: errors as of Datapath::wait.
[[nodiscard]] Result<void> wait_with(std::span<Process* const> processes, Duration duration);

}  // namespace gensink::worker

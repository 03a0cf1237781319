// SPDX-License-Identifier: BSD-3-Clause
#include "signals.hpp"

#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace gensink::app {
namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

}  // namespace

Signals::Signals() {
    const sigset_t set = stop_signals();
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the parent has one thread
    sigprocmask(SIG_BLOCK, &set, nullptr);
    fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
    // A signal that came was acted on; pending, it would end the process in the middle of writing.
    close(fd_);
}

bool Signals::arrived() const {
    pollfd entry{fd_, POLLIN, 0};
    return poll(&entry, 1, 0) == 1;
}

}  // namespace gensink::app

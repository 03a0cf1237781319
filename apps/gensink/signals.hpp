// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace gensink::app {

/// SIGINT, SIGTERM and SIGHUP as a file descriptor, while this object lives: readable once one has
/// come. Made before workers fork; they get the default dispositions back.
class Signals {
  public:
    Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    Signals(Signals&&) = delete;
    Signals& operator=(Signals&&) = delete;
    ~Signals();

    [[nodiscard]] int fd() const { return fd_; }

    [[nodiscard]] bool arrived() const;

  private:
    int fd_;
};

}  // namespace gensink::app

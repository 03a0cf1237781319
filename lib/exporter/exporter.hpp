// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <sys/types.h>

/// The run's numbers for Prometheus, over HTTP.
namespace gensink::exporter {

/// Serves /metrics from a child process of its own: its server has threads, and the process that
/// forks workers must have none. The child ends with this object, and with its parent.
class Exporter {
  public:
    /// `address`: "PORT", on loopback alone, or "ADDRESS:PORT"; port 0 takes a free one. Errors:
    /// usage for what is no address; environment where it cannot be listened on.
    [[nodiscard]] static Result<Exporter> start(const std::string& address);

    Exporter(Exporter&& other) noexcept;
    Exporter& operator=(Exporter&&) = delete;
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;
    ~Exporter();

    /// Where it is: "http://127.0.0.1:9464/metrics".
    [[nodiscard]] const std::string& url() const { return url_; }

    /// The state of the run: a JSON object of numbers, texts, null for unknown, "point" and
    /// "cores", as report::progress_json writes it. Never waits: what does not fit is dropped.
    void progress(std::string_view json) const { send('p', json); }

    /// A trial that has ended, as report::trial_json writes it.
    void ended(std::string_view json) const { send('t', json); }

  private:
    Exporter(int socket, pid_t child, std::string url)
        : socket_(socket), child_(child), url_(std::move(url)) {}

    void send(char kind, std::string_view json) const;

    int socket_;
    pid_t child_;
    std::string url_;
};

}  // namespace gensink::exporter

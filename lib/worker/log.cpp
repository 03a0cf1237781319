// SPDX-License-Identifier: BSD-3-Clause
#include "worker/detail/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gensink::worker::detail {

namespace {

constexpr std::size_t max_lines = 20;
constexpr std::size_t max_bytes = 8192;

/// Control characters of a driver's log have no place in a message.
std::string printable(std::string_view line) {
    std::string clean(line);
    std::ranges::replace_if(
        clean, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; }, ' '
    );
    return clean;
}

}  // namespace

int make_log() {
    const int fd = memfd_create("gensink-worker-log", MFD_CLOEXEC);
    if (fd >= 0) {
        // Parent and child share no offset that matters: the child only ever appends.
        (void)fcntl(fd, F_SETFL, O_APPEND);
    }
    return fd;
}

std::size_t log_bytes(int fd) {
    struct stat status {};

    return fstat(fd, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

std::string log_tail(int fd, std::size_t start) {
    const std::size_t end = log_bytes(fd);
    start = std::max(start, end > max_bytes ? end - max_bytes : 0);
    if (start >= end) {
        return {};
    }
    std::string text(end - start, '\0');
    const ssize_t got = pread(fd, text.data(), text.size(), static_cast<off_t>(start));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    std::string tail;
    std::string_view rest(text);
    for (std::size_t lines = 0; lines < max_lines && !rest.empty();) {
        const std::size_t cut = rest.find_last_of('\n');
        const std::string_view line = cut == std::string_view::npos ? rest : rest.substr(cut + 1);
        rest = cut == std::string_view::npos ? std::string_view{} : rest.substr(0, cut);
        if (!line.empty()) {
            tail.insert(0, "\n  | " + printable(line));
            ++lines;
        }
    }
    return tail;
}

std::string describe_end(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
        const int number = WTERMSIG(wait_status);
        const char* meaning = sigdescr_np(number);
        return fmt::format(
            "was killed by signal {} ({})", number, meaning != nullptr ? meaning : "unknown"
        );
    }
    return fmt::format("ended with exit status {}", WEXITSTATUS(wait_status));
}

}  // namespace gensink::worker::detail

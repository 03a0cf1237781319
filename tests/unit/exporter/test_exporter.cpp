// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "catch.hpp"
#include "exporter/exporter.hpp"

using namespace gensink;
using exporter::Exporter;

namespace {

/// The port at the end of "http://127.0.0.1:9464/metrics".
std::uint16_t port_of(const std::string& url) {
    return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
}

/// What a scrape gets; empty where nobody answers.
std::string scraped(const Exporter& exporter) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_of(exporter.url()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string text;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
        const std::string ask = "GET /metrics HTTP/1.0\r\n\r\n";
        REQUIRE(::send(fd, ask.data(), ask.size(), 0) == static_cast<ssize_t>(ask.size()));
        std::array<char, 4096> part{};
        for (ssize_t got = 1; got > 0;) {
            got = ::recv(fd, part.data(), part.size(), 0);
            text.append(part.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
        }
    }
    ::close(fd);
    return text;
}

/// Scrapes until the child has taken what was sent to it before.
bool comes(const Exporter& exporter, const std::string& line) {
    for (int i = 0; i < 500; ++i) {
        if (scraped(exporter).find(line) != std::string::npos) {
            return true;
        }
        ::usleep(10'000);
    }
    return false;
}

}  // namespace

TEST_CASE("a scrape gets what was told") {
    const auto exporter = Exporter::start("0");
    REQUIRE(exporter);
    CHECK(exporter->url().starts_with("http://127.0.0.1:"));
    exporter->progress(R"({"trial": 3})");
    exporter->ended(R"({"arm": "a", "complete": true, "valid": true, "lost": 0})");
    CHECK(comes(*exporter, "gensink_trials_ended_total{arm=\"a\",outcome=\"valid\"} 1\n"));
    CHECK(comes(*exporter, "gensink_trial 3\n"));
}

TEST_CASE("a port in use is refused, and is free again when the exporter has gone") {
    std::string address;
    {
        const auto first = Exporter::start("0");
        REQUIRE(first);
        address = "127.0.0.1:" + std::to_string(port_of(first->url()));
        const auto second = Exporter::start(address);
        REQUIRE_FALSE(second);
        CHECK(second.error().kind == ErrorKind::environment);
    }
    CHECK(Exporter::start(address));
}

TEST_CASE("what is no address is refused") {
    for (const char* text : {"", "x", "127.0.0.1:", ":9464", "127.0.0.1:99999", "80 80"}) {
        CAPTURE(text);
        const auto exporter = Exporter::start(text);
        REQUIRE_FALSE(exporter);
        CHECK(exporter.error().kind == ErrorKind::usage);
    }
}

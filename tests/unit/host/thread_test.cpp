// SPDX-License-Identifier: BSD-3-Clause
#include "host/thread.hpp"

#include <unistd.h>

#include "catch.hpp"
#include "tree.hpp"

using namespace gensink;

TEST_CASE("a thread's sample has its run delay and its switches") {
    Tree tree;
    tree.file("proc/self/task/77/schedstat", "5000000 41171 12")
        .file(
            "proc/self/task/77/status",
            "Name:\tloop\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t9"
        );
    const auto sample = host::sample_thread(77, tree.root());
    REQUIRE(sample);
    CHECK(sample->run_delay_ns == 41'171u);
    CHECK(sample->voluntary_switches == 3);
    CHECK(sample->involuntary_switches == 9);
}

TEST_CASE("a kernel without schedstat leaves the run delay absent, not 0") {
    Tree tree;
    tree.file(
        "proc/self/task/77/status", "voluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t9"
    );
    const auto sample = host::sample_thread(77, tree.root());
    REQUIRE(sample);
    CHECK_FALSE(sample->run_delay_ns);
}

TEST_CASE("a thread that has ended is an environment error") {
    Tree tree;
    const auto sample = host::sample_thread(77, tree.root());
    REQUIRE_FALSE(sample);
    CHECK(sample.error().kind == ErrorKind::environment);
}

TEST_CASE("the calling thread can be sampled") {
    CHECK(host::sample_thread(gettid()));
}

TEST_CASE("a thread's time on its CPU moves on without a tick of the kernel's timer") {
    const auto before = host::thread_times(gettid());
    REQUIRE(before);
    const auto after = host::thread_times(gettid());
    REQUIRE(after);
    CHECK(after->run_ns > before->run_ns);
    CHECK(after->user_seen_ns <= after->seen_ns);
}

TEST_CASE("a thread that does not exist has no times") {
    CHECK_FALSE(host::thread_times(1 << 27));
}

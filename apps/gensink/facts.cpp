// SPDX-License-Identifier: BSD-3-Clause
#include "facts.hpp"

#include "apart/version.hpp"
#include "dpdk/eal.hpp"
#include "host/facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <random>

namespace gensink::app {
namespace {

/// This process's arguments, as the kernel keeps them (NUL-separated).
std::vector<std::string> command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) {
        words.push_back(word);
    }
    return words;
}

report::HostFacts host_facts(const host::Facts& f) {
    return {
        .hostname = f.hostname,
        .cpu_model = f.cpu_model,
        .microcode = f.microcode,
        .cpus = f.cpus,
        .sockets = f.sockets,
        .smt = f.smt,
        .invariant_tsc = f.invariant_tsc,
        .turbo = f.turbo,
        .governor = f.governor,
        .kernel = f.kernel,
        .kernel_options = f.kernel_options,
        .mitigations = f.mitigations,
        .hugepages = f.hugepages,
        .topology = f.topology,
        .virtualization = f.virtualization,
        .nics = f.nics,
    };
}

}  // namespace

std::string now_utc() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

report::RunInfo run_info(const plan::Topology& topology) {
    std::random_device entropy;
    report::RunInfo info;
    info.id = fmt::format("{:08x}{:08x}", entropy(), entropy());
    info.started = now_utc();
    info.versions = {{"gensink", apart::build_version}, {"DPDK", dpdk::version()}};
    info.command_line = command_line();
    info.host = host_facts(host::facts(topology));
    return info;
}

}  // namespace gensink::app

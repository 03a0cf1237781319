// SPDX-License-Identifier: BSD-3-Clause
// The ceiling that tools/bench holds gensink against: allocate in bulk, stamp a sequence number,
// send; receive, check the number, free. Nothing else: no pacing, no causes, no counters.
//
//     bare-loop null|cable BURST SECONDS [HUGEPAGES=0|1]
//
// prints one line: frames sent, frames received in order, TSC ticks of the sender, TSC Hz.
#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_mbuf.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr unsigned pool_frames = 4095;
constexpr unsigned pool_cache = 511;
constexpr unsigned ring_frames = 1024;
constexpr unsigned frame_bytes = 60;
constexpr std::size_t sequence_offset = 42;

struct Run {
    std::uint16_t tx_port = 0;
    std::uint16_t rx_port = 0;
    std::uint16_t burst = 1;
    std::uint16_t rx_burst = 64;
    rte_mempool* pool = nullptr;
    std::uint64_t until = 0;
    std::uint64_t sent = 0;
    std::uint64_t ticks = 0;
    std::uint64_t in_order = 0;
    std::atomic<bool> stop{false};
};

int send_frames(void* argument) {
    Run& run = *static_cast<Run*>(argument);
    std::array<rte_mbuf*, 512> frames{};
    std::uint64_t sequence = 0;
    const std::uint64_t start = rte_rdtsc();
    std::uint64_t now = start;
    while (now < run.until) {
        if (rte_mempool_get_bulk(run.pool, reinterpret_cast<void**>(frames.data()), run.burst) ==
            0) {
            for (std::uint16_t i = 0; i < run.burst; ++i) {
                std::memcpy(
                    rte_pktmbuf_mtod_offset(frames[i], void*, sequence_offset), &sequence, 8
                );
                ++sequence;
            }
            std::uint16_t sent = 0;
            do {
                sent = static_cast<std::uint16_t>(
                    sent +
                    rte_eth_tx_burst(
                        run.tx_port, 0, &frames[sent], static_cast<std::uint16_t>(run.burst - sent)
                    )
                );
            } while (sent < run.burst);
            run.sent += run.burst;
        }
        now = rte_rdtsc();
    }
    run.ticks = now - start;
    return 0;
}

int receive_frames(void* argument) {
    Run& run = *static_cast<Run*>(argument);
    std::array<rte_mbuf*, 512> frames{};
    std::uint64_t expected = 0;
    while (!run.stop.load(std::memory_order_relaxed)) {
        const std::uint16_t n = rte_eth_rx_burst(run.rx_port, 0, frames.data(), run.rx_burst);
        for (std::uint16_t i = 0; i < n; ++i) {
            std::uint64_t sequence = 0;
            std::memcpy(&sequence, rte_pktmbuf_mtod_offset(frames[i], void*, sequence_offset), 8);
            run.in_order += sequence == expected ? 1 : 0;
            expected = sequence + 1;
        }
        rte_pktmbuf_free_bulk(frames.data(), n);
    }
    return 0;
}

void die(const char* what) {
    std::fprintf(stderr, "bare-loop: %s failed\n", what);
    std::exit(1);
}

void start_port(std::uint16_t port, rte_mempool* pool) {
    rte_eth_conf conf{};
    if (rte_eth_dev_configure(port, 1, 1, &conf) != 0 ||
        rte_eth_tx_queue_setup(port, 0, ring_frames, 0, nullptr) != 0 ||
        rte_eth_rx_queue_setup(port, 0, ring_frames, 0, nullptr, pool) != 0 ||
        rte_eth_dev_start(port) != 0) {
        die("port set-up");
    }
}

void open_cable(Run& run) {
    constexpr unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ;
    rte_ring* const a = rte_ring_create("a", ring_frames, 0, flags);
    rte_ring* const b = rte_ring_create("b", ring_frames, 0, flags);
    const int tx = rte_eth_from_rings("tx", &b, 1, &a, 1, 0);
    const int rx = rte_eth_from_rings("rx", &a, 1, &b, 1, 0);
    if (a == nullptr || b == nullptr || tx < 0 || rx < 0) {
        die("cable");
    }
    run.tx_port = static_cast<std::uint16_t>(tx);
    run.rx_port = static_cast<std::uint16_t>(rx);
    start_port(run.tx_port, run.pool);
    start_port(run.rx_port, run.pool);
}

void open_null(Run& run) {
    if (rte_vdev_init("net_null0", "no-rx=1") != 0 ||
        rte_eth_dev_get_port_by_name("net_null0", &run.tx_port) != 0) {
        die("net_null");
    }
    start_port(run.tx_port, run.pool);
}

void write_length(rte_mempool*, void*, void* object, unsigned) {
    auto* const m = static_cast<rte_mbuf*>(object);
    m->data_len = frame_bytes;
    m->pkt_len = frame_bytes;
    std::memset(rte_pktmbuf_mtod(m, void*), 0, frame_bytes);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: bare-loop null|cable BURST SECONDS [HUGEPAGES=0|1]\n");
        return 2;
    }
    const bool cable = std::string(argv[1]) == "cable";
    const bool huge = argc > 4 && std::string(argv[4]) == "1";
    std::vector<std::string> args{
        "bare-loop",
        "--lcores",
        cable ? "0@0,1@0,2@1" : "0@0,1@1",
        "--no-pci",
        "--no-telemetry",
        "--log-level=error"};
    if (huge) {
        args.insert(args.end(), {"--in-memory", "--single-file-segments"});
    } else {
        args.insert(
            args.end(), {"--no-huge", "--no-shconf", "-m", "128", "--file-prefix=bare-loop"}
        );
    }
    std::vector<char*> raw;
    for (std::string& arg : args) {
        raw.push_back(arg.data());
    }
    if (rte_eal_init(static_cast<int>(raw.size()), raw.data()) < 0) {
        die("EAL");
    }
    Run run;
    run.burst = static_cast<std::uint16_t>(std::atoi(argv[2]));
    run.pool =
        rte_pktmbuf_pool_create("frames", pool_frames, pool_cache, 0, RTE_PKTMBUF_HEADROOM + 64, 0);
    if (run.burst < 1 || run.burst > 512 || run.pool == nullptr) {
        die("pool or burst");
    }
    rte_mempool_obj_iter(run.pool, &write_length, nullptr);
    cable ? open_cable(run) : open_null(run);
    const double seconds = std::atof(argv[3]);
    if (cable) {
        rte_eal_remote_launch(&receive_frames, &run, 2);
    }
    run.until =
        rte_rdtsc() + static_cast<std::uint64_t>(seconds * static_cast<double>(rte_get_tsc_hz()));
    rte_eal_remote_launch(&send_frames, &run, 1);
    rte_eal_wait_lcore(1);
    rte_delay_us_sleep(10'000);
    run.stop = true;
    rte_eal_mp_wait_lcore();
    std::printf(
        "%lu %lu %lu %lu\n",
        static_cast<unsigned long>(run.sent),
        static_cast<unsigned long>(run.in_order),
        static_cast<unsigned long>(run.ticks),
        static_cast<unsigned long>(rte_get_tsc_hz())
    );
    rte_eal_cleanup();
    return 0;
}

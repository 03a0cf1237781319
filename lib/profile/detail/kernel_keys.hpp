// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/keys.hpp"

/// Keys of arms that send through the kernel's sockets.
namespace gensink::profile::detail {

inline constexpr KeySpec kernel_keys[] = {
    {.path = "kernel.protocol",
     .kind = Kind::choice,
     .fallback = "tcp",
     .doc = "Sockets of wire.kind: kernel",
     .choices = "tcp|udp"},
    {.path = "kernel.sender",
     .kind = Kind::choice,
     .fallback = "auto",
     .doc = "How a kernel arm sends: `write` (one block, or one datagram, a call), `sendfile` and "
            "`msg_zerocopy` (TCP), `sendmmsg` and `gso` (UDP: tx.burst datagrams a call); auto: "
            "write for TCP, sendmmsg for UDP",
     .choices = "auto|write|sendfile|msg_zerocopy|sendmmsg|gso"},
    {.path = "kernel.send_buffer",
     .kind = Kind::bytes,
     .fallback = "auto",
     .doc = "SO_SNDBUF; auto: window.limit, or the kernel's own choice",
     .min = 1024,
     .max = 1ULL << 30,
     .absent = "auto"},
    {.path = "kernel.receive_buffer",
     .kind = Kind::bytes,
     .fallback = "auto",
     .doc = "SO_RCVBUF; auto: window.limit, or the kernel's own choice",
     .min = 1024,
     .max = 1ULL << 30,
     .absent = "auto"},
    {.path = "kernel.no_delay",
     .kind = Kind::boolean,
     .fallback = "false",
     .doc = "TCP_NODELAY: a short block does not wait for the ACK of the one before it"},
    {.path = "sink.read_size",
     .kind = Kind::bytes,
     .fallback = "128 KiB",
     .doc = "Bytes that the receiver of a kernel's TCP arm asks for in one call",
     .min = 1,
     .max = 1 << 26},
};

}  // namespace gensink::profile::detail

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/keys.hpp"

/// Keys of what is not built yet: they parse, and the plan refuses any value but the default.
namespace gensink::profile::detail {

inline constexpr KeySpec later_keys[] = {
    {.path = "sink.read_size",
     .kind = Kind::bytes,
     .fallback = "auto",
     .doc = "Bytes that the receiving application reads at once",
     .min = 1,
     .max = 1 << 30,
     .absent = "auto",
     .available = false},
    {.path = "kernel.protocol",
     .kind = Kind::choice,
     .fallback = "tcp",
     .doc = "Socket type of wire.kind: kernel",
     .choices = "tcp|udp",
     .available = false},
    {.path = "kernel.sender",
     .kind = Kind::choice,
     .fallback = "write",
     .doc = "How a kernel arm sends",
     .choices = "write|sendfile|msg_zerocopy|sendmmsg|gso",
     .available = false},
    {.path = "kernel.send_buffer",
     .kind = Kind::bytes,
     .fallback = "auto",
     .doc = "SO_SNDBUF",
     .min = 1024,
     .max = 1ULL << 32,
     .absent = "auto",
     .available = false},
    {.path = "kernel.receive_buffer",
     .kind = Kind::bytes,
     .fallback = "auto",
     .doc = "SO_RCVBUF",
     .min = 1024,
     .max = 1ULL << 32,
     .absent = "auto",
     .available = false},
};

}  // namespace gensink::profile::detail

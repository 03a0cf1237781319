// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/netlink.hpp"
#include "host/interface.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace gensink::host {

namespace {

int bpf(bpf_cmd command, bpf_attr& attributes) {
    return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

int program_by_id(std::uint32_t id) {
    bpf_attr attributes{};
    attributes.prog_id = id;
    return bpf(BPF_PROG_GET_FD_BY_ID, attributes);
}

int create_link(int program, std::uint32_t interface_index, std::uint32_t flags) {
    bpf_attr attributes{};
    attributes.link_create.prog_fd = static_cast<std::uint32_t>(program);
    attributes.link_create.target_ifindex = interface_index;
    attributes.link_create.attach_type = BPF_XDP;
    attributes.link_create.flags = flags;
    return bpf(BPF_LINK_CREATE, attributes);
}

std::uint32_t flags_of(XdpMode mode) {
    switch (mode) {
    case XdpMode::generic:
        return XDP_FLAGS_SKB_MODE;
    case XdpMode::hardware:
        return XDP_FLAGS_HW_MODE;
    case XdpMode::driver:
        break;
    }
    return XDP_FLAGS_DRV_MODE;
}

tl::unexpected<Error> refused(const char* what, const std::string& interface, int code) {
    return fail(
        ErrorKind::environment,
        fmt::format("{}: {}", what, std::generic_category().message(code)),
        interface,
        code
    );
}

}  // namespace

Result<XdpLink> XdpLink::take_over(const std::string& interface) {
    const auto found = read_interface(interface);
    if (!found || !found->xdp) {
        return fail(ErrorKind::environment, "the interface has no XDP program", interface);
    }
    const std::uint32_t flags = flags_of(found->xdp->mode);
    const int program = program_by_id(found->xdp->id);
    if (program < 0) {
        return refused("cannot open the XDP program", interface, errno);
    }
    // The kernel replaces no program by a link.
    if (const int code = detail::set_xdp(found->index, -1, flags); code != 0) {
        close(program);
        return refused("cannot detach the XDP program", interface, code);
    }
    const int link = create_link(program, found->index, flags);
    const int code = errno;
    if (link < 0) {
        (void)detail::set_xdp(found->index, program, flags);
    }
    close(program);
    if (link < 0) {
        return refused("cannot link the XDP program to this process", interface, code);
    }
    return XdpLink(link);
}

XdpLink::XdpLink(XdpLink&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

XdpLink::~XdpLink() {
    if (fd_ >= 0) {
        // At once: after close() alone the kernel does it in a work queue of its own, and whoever
        // opens the interface next would take a program over that is about to go.
        bpf_attr attributes{};
        attributes.link_detach.link_fd = static_cast<std::uint32_t>(fd_);
        (void)bpf(BPF_LINK_DETACH, attributes);
        close(fd_);
    }
}

}  // namespace gensink::host

// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/netlink.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gensink::host::detail {

namespace {

constexpr std::size_t answer_bytes = 64U << 10U;  // an interface with all its attributes

struct LinkRequest {
    nlmsghdr header{};
    ifinfomsg link{};
};

struct XdpRequest {
    LinkRequest base;
    nlattr nest{};
    nlattr fd_header{};
    std::int32_t fd = 0;
    nlattr flags_header{};
    std::uint32_t flags = 0;
};

static_assert(
    sizeof(XdpRequest) == sizeof(LinkRequest) + std::size_t{3} * NLA_HDRLEN + 8, "netlink's layout"
);

LinkRequest request(std::uint16_t type, std::uint32_t index, std::size_t bytes) {
    LinkRequest made;
    made.header.nlmsg_len = static_cast<std::uint32_t>(bytes);
    made.header.nlmsg_type = type;
    made.header.nlmsg_flags = NLM_F_REQUEST;
    made.link.ifi_family = AF_UNSPEC;
    made.link.ifi_index = static_cast<int>(index);
    return made;
}

/// One question, one answer: the whole datagram, empty where there was none.
std::vector<std::byte> ask(const void* question, std::size_t bytes) {
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) {
        return {};
    }
    std::vector<std::byte> answer(answer_bytes);
    ssize_t got = send(fd, question, bytes, 0);
    if (got == static_cast<ssize_t>(bytes)) {
        do {
            got = recv(fd, answer.data(), answer.size(), 0);
        } while (got < 0 && errno == EINTR);
    } else {
        got = -1;
    }
    close(fd);
    answer.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return answer;
}

}  // namespace

std::optional<NetlinkBytes> attribute(NetlinkBytes attributes, std::uint16_t type) {
    while (attributes.size() >= NLA_HDRLEN) {
        const auto header = value_of<nlattr>(attributes);
        if (header.nla_len < NLA_HDRLEN || header.nla_len > attributes.size()) {
            break;
        }
        if ((header.nla_type & NLA_TYPE_MASK) == type) {
            return attributes.subspan(NLA_HDRLEN, header.nla_len - std::size_t{NLA_HDRLEN});
        }
        attributes = attributes.subspan(
            std::min<std::size_t>(NLA_ALIGN(std::size_t{header.nla_len}), attributes.size())
        );
    }
    return std::nullopt;
}

std::optional<std::vector<std::byte>> link_attributes(std::uint32_t index) {
    const LinkRequest question = request(RTM_GETLINK, index, sizeof(LinkRequest));
    std::vector<std::byte> answer = ask(&question, sizeof question);
    const auto header = value_of<nlmsghdr>(answer);
    if (answer.size() < sizeof(LinkRequest) || header.nlmsg_type != RTM_NEWLINK) {
        return std::nullopt;
    }
    answer.resize(std::min<std::size_t>(answer.size(), header.nlmsg_len));
    answer.erase(answer.begin(), answer.begin() + sizeof(LinkRequest));
    return answer;
}

int set_xdp(std::uint32_t index, int program_fd, std::uint32_t flags) {
    XdpRequest question;
    question.base = request(RTM_SETLINK, index, sizeof question);
    question.base.header.nlmsg_flags |= NLM_F_ACK;
    constexpr auto with_word = static_cast<std::uint16_t>(NLA_HDRLEN + 4);
    question.nest.nla_type = IFLA_XDP | NLA_F_NESTED;
    question.nest.nla_len = static_cast<std::uint16_t>(NLA_HDRLEN + 2 * with_word);
    question.fd_header = {with_word, IFLA_XDP_FD};
    question.fd = program_fd;
    question.flags_header = {with_word, IFLA_XDP_FLAGS};
    question.flags = flags;
    const std::vector<std::byte> answer = ask(&question, sizeof question);
    if (answer.size() < NLMSG_HDRLEN + sizeof(nlmsgerr)) {
        return EIO;
    }
    return -value_of<nlmsgerr>(NetlinkBytes(answer).subspan(NLMSG_HDRLEN)).error;
}

}  // namespace gensink::host::detail

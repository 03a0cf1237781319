// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "kernel/socket.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <span>

namespace gensink::kernel {

/// The way on which the two ends of a trial agree, where their data goes by sockets: frames of the
/// talk as datagrams, one port below the first stream's. Ends are told apart by addresses that they
/// make up; a sink answers to where a question came from, which may be a translator of addresses.
class ControlSocket final : public trial::ControlLink {
  public:
    /// `peer`: where the sink is; absent at the sink. Error environment.
    [[nodiscard]] static Result<std::unique_ptr<ControlSocket>>
    open(std::uint16_t data_port, const std::optional<Address>& peer);

    [[nodiscard]] plan::MacAddress address() const override { return address_; }

    bool send(std::span<const std::byte> frame) override;
    bool receive(const std::function<void(std::span<const std::byte>)>& read) override;

    Result<void> set_destination(const plan::MacAddress& /*peer*/) override { return {}; }

  private:
    explicit ControlSocket(Socket socket);

    Socket socket_;
    plan::MacAddress address_;
    std::map<plan::MacAddress, sockaddr_in> known_;  ///< by whom frames have come
    std::optional<sockaddr_in> peer_;
};

}  // namespace gensink::kernel

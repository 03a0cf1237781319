// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/datapath.hpp"

#include "host/clock.hpp"
#include "kernel/control_socket.hpp"
#include "kernel/detail/open.hpp"
#include "kernel/thread.hpp"

#include <system_error>
#include <thread>
#include <utility>

namespace gensink::kernel {
namespace {

class KernelDatapath final : public trial::Datapath {
  public:
    explicit KernelDatapath(const plan::Environment& environment)
        : drives_gen_(environment.drives_gen)
        , drives_sink_(environment.drives_sink)
        , has_peer_(environment.peer) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;
    Result<void> start() override;
    Result<void> enter(counters::Phase phase) override;
    Result<void> wait(Duration duration) override;
    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;

    Result<void> close() override {
        open_.reset();
        return {};
    }

    trial::ControlLink* control_link() override { return open_ ? control_.get() : nullptr; }

  private:
    [[nodiscard]] Result<void> check_senders() const;
    Result<void> open_control();

    bool drives_gen_;
    bool drives_sink_;
    bool has_peer_;
    /// Outlives trials: who asked for one waits for the answer at the same place.
    std::unique_ptr<ControlSocket> control_;
    std::unique_ptr<detail::Open> open_;
};

Result<trial::Opened> KernelDatapath::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    open_ = std::make_unique<detail::Open>();
    open_->plan = plan;
    open_->run_id = run_id;
    Result<void> done = has_peer_ && !control_ ? open_control() : Result<void>();
    if (done && drives_sink_) {
        done = detail::open_sink(*open_);
    }
    if (done && drives_gen_) {
        done = detail::open_generator(*open_);
    }
    if (!done) {
        open_.reset();
        return tl::unexpected<Error>(done.error());
    }
    trial::Opened opened;
    opened.tsc_hz = host::tsc_hz();
    opened.gen_limits = plan.gen.driver.limits;
    opened.sink_limits = plan.sink->driver.limits;
    opened.gen_driver = opened.sink_driver = plan.gen.driver.name;
    return opened;
}

Result<void> KernelDatapath::open_control() {
    const plan::FrameRecipe& frames = open_->plan.frames;
    const auto peer = drives_gen_ ? std::optional(Address{frames.destination_ip, 0}) : std::nullopt;
    auto made = ControlSocket::open(frames.destination_port, peer);
    if (!made) {
        return tl::unexpected<Error>(made.error());
    }
    control_ = *std::move(made);
    return {};
}

Result<void> KernelDatapath::start() {
    detail::Open& o = *open_;
    if (drives_gen_) {
        if (auto connected = detail::connect_generator(o); !connected) {
            return connected;
        }
        detail::make_gen_loops(o);
    }
    if (drives_sink_) {
        detail::make_sink_loops(o);
    }
    return o.ends.start(o.plan, launch_on_thread);
}

Result<void> KernelDatapath::enter(counters::Phase phase) {
    open_->ends.enter(phase);
    return {};
}

Result<void> KernelDatapath::wait(Duration duration) {
    std::this_thread::sleep_for(duration);
    return {};
}

Result<void> KernelDatapath::check_senders() const {
    for (const std::unique_ptr<GenLoop>& loop : open_->ends.gen_loops) {
        if (const int code = loop->failure(); code != 0) {
            const char* const advice =
                code == EMSGSIZE ? "; traffic.mtu is larger than the interface's" : "";
            return fail(
                ErrorKind::environment,
                "cannot send: " + std::generic_category().message(code) + advice,
                open_->plan.gen.device_written,
                code
            );
        }
    }
    return {};
}

Result<trial::Snapshot> KernelDatapath::snapshot() {
    if (!open_) {
        return fail(ErrorKind::measurement, "no socket is open");
    }
    if (auto sending = check_senders(); !sending) {
        return tl::unexpected<Error>(sending.error());
    }
    return detail::take_snapshot(*open_, false);
}

Result<trial::Snapshot> KernelDatapath::stop() {
    if (!open_) {
        return fail(ErrorKind::measurement, "no socket is open");
    }
    open_->ends.stop();
    return detail::take_snapshot(*open_, true);
}

}  // namespace

std::unique_ptr<trial::Datapath> make_datapath(const plan::Environment& environment) {
    return std::make_unique<KernelDatapath>(environment);
}

}  // namespace gensink::kernel

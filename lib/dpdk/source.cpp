// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/source.hpp"

#include "dpdk/eal.hpp"
#include "engine/source_bytes.hpp"

#include <fmt/format.h>
#include <rte_memzone.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace gensink::dpdk {
namespace {

constexpr const char* zone_name = "source";

Error file_error(const std::string& file, int code) {
    return {
        .kind = ErrorKind::environment,
        .message = "source.file: " + std::generic_category().message(code),
        .where = file,
        .os_code = code};
}

}  // namespace

Source::Source(Source&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {}))
    , iova_offset_(other.iova_offset_)
    , zone_(std::exchange(other.zone_, nullptr)) {}

Source& Source::operator=(Source&& other) noexcept {
    if (this != &other) {
        release();
        bytes_ = std::exchange(other.bytes_, {});
        iova_offset_ = other.iova_offset_;
        zone_ = std::exchange(other.zone_, nullptr);
    }
    return *this;
}

Source::~Source() {
    release();
}

void Source::release() {
    if (zone_ != nullptr) {
        rte_memzone_free(zone_);
    } else if (!bytes_.empty()) {
        munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

Result<Source> Source::make(const plan::PayloadPlan& plan, std::uint32_t largest, SocketId socket) {
    const bool file = plan.source == plan::SourceKind::file;
    Result<Source> made = file ? map(plan) : fill(plan, socket);
    const std::uint64_t least = std::max<std::uint64_t>(largest, plan.least_bytes);
    if (made && made->bytes_.size() < least) {
        return tl::unexpected<Error>(Error{
            .kind = ErrorKind::environment,
            .message = fmt::format(
                "source.file has {} B, fewer than the {} B that {}; name a larger file",
                made->bytes_.size(),
                least,
                least == largest ? "a frame carries" : "source.working_set or source.cache ask for"
            ),
            .where = plan.file,
            .os_code = 0});
    }
    return made;
}

/// Read once, so that the first frames do not wait for the disk.
Result<Source> Source::map(const plan::PayloadPlan& plan) {
    const int file = open(plan.file.c_str(), O_RDONLY | O_CLOEXEC);

    struct stat facts {};

    if (file < 0 || fstat(file, &facts) != 0) {
        const int code = errno;
        if (file >= 0) {
            close(file);
        }
        return tl::unexpected<Error>(file_error(plan.file, code));
    }
    auto size = static_cast<std::size_t>(facts.st_size);
    if (plan.working_set != 0) {
        size = std::min<std::size_t>(size, plan.working_set);
    }
    void* const at =
        size == 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    const int code = size == 0 ? ENODATA : errno;
    close(file);
    if (at == MAP_FAILED) {
        return tl::unexpected<Error>(file_error(plan.file, code));
    }
    Source source;
    source.bytes_ = {static_cast<const std::byte*>(at), size};
    return source;
}

Result<Source> Source::fill(const plan::PayloadPlan& plan, SocketId socket) {
    const rte_memzone* const zone = rte_memzone_reserve_aligned(
        zone_name,
        plan.working_set,
        socket.value,
        plan.device_reads ? RTE_MEMZONE_IOVA_CONTIG : 0,
        4096
    );
    if (zone == nullptr) {
        return tl::unexpected<Error>(dpdk_error(
            ErrorKind::environment,
            fmt::format(
                "no memory for a source of {} B{}; lower source.working_set, or raise host.memory",
                plan.working_set,
                plan.device_reads ? " in one piece, as the device must see it: without an IOMMU, "
                                    "a page of 2 MiB at most"
                                  : ""
            ),
            zone_name,
            -1
        ));
    }
    auto* const bytes = static_cast<std::byte*>(zone->addr);
    engine::fill_source({bytes, plan.working_set}, plan.source == plan::SourceKind::random);
    Source source;
    source.bytes_ = {bytes, plan.working_set};
    source.iova_offset_ = plan.device_reads ? zone->iova - zone->addr_64 : 0;
    source.zone_ = zone;
    return source;
}

}  // namespace gensink::dpdk

// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/source.hpp"

#include "engine/source_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace gensink::kernel {
namespace {

tl::unexpected<Error> source_error(const std::string& where, int code) {
    return fail(
        ErrorKind::environment, "source: " + std::generic_category().message(code), where, code
    );
}

}  // namespace

Source::Source(Source&& other) noexcept
    : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}

Source& Source::operator=(Source&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Source::~Source() {
    if (!bytes_.empty()) {
        munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

Result<Source> Source::make(const plan::PayloadPlan& plan, std::size_t least) {
    const bool own = plan.source != plan::SourceKind::file;
    const std::string where = own ? "memory" : plan.file;
    Source source;
    source.file_ = Socket(
        own ? memfd_create("gensink-source", MFD_CLOEXEC)
            : ::open(plan.file.c_str(), O_RDONLY | O_CLOEXEC)
    );

    struct stat facts {};

    if (source.fd() < 0 ||
        (own && ftruncate(source.fd(), static_cast<off_t>(plan.working_set)) != 0) ||
        fstat(source.fd(), &facts) != 0) {
        return source_error(where, errno);
    }
    auto size = static_cast<std::size_t>(facts.st_size);
    size = plan.working_set != 0 ? std::min<std::size_t>(size, plan.working_set) : size;
    if (size < std::max<std::size_t>(least, plan.least_bytes)) {
        return fail(
            ErrorKind::environment,
            fmt::format(
                "source.file has {} B, fewer than the {} B that a block, source.working_set or "
                "source.cache ask for; name a larger file",
                size,
                std::max<std::size_t>(least, plan.least_bytes)
            ),
            where
        );
    }
    // Read once, so that the first blocks do not wait for the disk.
    void* const at = mmap(
        nullptr,
        size,
        own ? PROT_READ | PROT_WRITE : PROT_READ,
        MAP_SHARED | MAP_POPULATE,
        source.fd(),
        0
    );
    if (at == MAP_FAILED) {
        return source_error(where, errno);
    }
    auto* const bytes = static_cast<std::byte*>(at);
    source.bytes_ = {bytes, size};
    if (own) {
        engine::fill_source({bytes, size}, plan.source == plan::SourceKind::random);
    }
    return source;
}

}  // namespace gensink::kernel

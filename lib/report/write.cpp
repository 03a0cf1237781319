// SPDX-License-Identifier: BSD-3-Clause
#include "report/write.hpp"

#include "report/csv.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace gensink::report {

namespace fs = std::filesystem;

namespace {

[[nodiscard]] std::string advice_for(int os_code) {
    switch (os_code) {
    case ENOSPC:
    case EDQUOT:
        return "; free some space, or name another folder with --out";
    case EACCES:
    case EPERM:
    case EROFS:
        return "; name a folder that you may write with --out";
    default:
        return "";
    }
}

[[nodiscard]] tl::unexpected<Error>
refused(std::string_view what, const fs::path& path, int os_code) {
    return fail(
        ErrorKind::environment,
        fmt::format(
            "{}: {}{}", what, std::generic_category().message(os_code), advice_for(os_code)
        ),
        path.string(),
        os_code
    );
}

[[nodiscard]] tl::unexpected<Error> exists_already(const fs::path& path) {
    return fail(
        ErrorKind::usage,
        "exists already, and results are never overwritten; name another folder with --out",
        path.string(),
        EEXIST
    );
}

/// Owns a descriptor; closing reports what the file system put off until then.
class File {
  public:
    explicit File(int fd) : fd_(fd) {}

    File(const File&) = delete;
    File& operator=(const File&) = delete;
    File(File&&) = delete;
    File& operator=(File&&) = delete;

    ~File() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }

    /// 0, or errno.
    [[nodiscard]] int write_all(std::string_view content) const {
        while (!content.empty()) {
            const ::ssize_t wrote = ::write(fd_, content.data(), content.size());
            if (wrote < 0 && errno != EINTR) {
                return errno;
            }
            content.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
        }
        return ::fsync(fd_) == 0 ? 0 : errno;
    }

    [[nodiscard]] int close() {
        const int fd = std::exchange(fd_, -1);
        return ::close(fd) == 0 ? 0 : errno;
    }

  private:
    int fd_;
};

/// Some file systems cannot rename without replacing; there the check comes first.
[[nodiscard]] int rename_new(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return errno;
    }
    if (::access(to.c_str(), F_OK) == 0) {
        return EEXIST;
    }
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// Letters, digits and "._-" stay; ':' of a time becomes '-', anything else '_'.
[[nodiscard]] std::string as_file_name(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool plain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
        name += plain ? c : (c == ':' ? '-' : '_');
    }
    return name;
}

}  // namespace

Result<fs::path>
make_result_dir(const fs::path& base, std::string_view time, std::string_view name) {
    std::error_code code;
    fs::create_directories(base, code);
    if (code) {
        return refused("cannot make the folder for results", base, code.value());
    }
    const std::string stem = as_file_name(fmt::format("{}-{}", time, name));
    constexpr unsigned most = 1000;
    for (unsigned i = 1; i <= most; ++i) {
        const fs::path dir = base / (i == 1 ? stem : fmt::format("{}-{}", stem, i));
        if (::mkdir(dir.c_str(), 0777) == 0) {
            return dir;
        }
        if (errno != EEXIST) {
            return refused("cannot make the folder for this result", dir, errno);
        }
    }
    return exists_already(base / stem);
}

Result<fs::path> make_empty_dir(const fs::path& dir) {
    std::error_code code;
    fs::create_directories(dir, code);
    if (code) {
        return refused("cannot make the folder for this result", dir, code.value());
    }
    if (::access(dir.c_str(), W_OK | X_OK) != 0) {
        return refused("cannot write to the folder for this result", dir, errno);
    }
    if (fs::exists(dir / "result.json", code)) {
        return exists_already(dir / "result.json");
    }
    return dir;
}

Result<void> write_file(const fs::path& path, std::string_view content) {
    const fs::path partial =
        path.parent_path() / fmt::format(".{}.{}.part", path.filename().string(), ::getpid());
    const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return refused("cannot write", path, errno);
    }
    File file(fd);
    int os_code = file.write_all(content);
    if (os_code == 0) {
        os_code = file.close();
    }
    if (os_code == 0) {
        os_code = rename_new(partial, path);
    }
    if (os_code == 0) {
        return {};
    }
    ::unlink(partial.c_str());
    return os_code == EEXIST ? exists_already(path) : refused("cannot write", path, os_code);
}

Result<void> write(const fs::path& dir, const Saved& saved) {
    std::error_code code;
    fs::create_directories(dir, code);
    if (code) {
        return refused("cannot make the folder for this result", dir, code.value());
    }
    constexpr std::array names{
        "result.json", "result.csv", "report.txt", "report.html", "profile.yaml"};
    for (const char* name : names) {
        if (fs::exists(fs::symlink_status(dir / name, code))) {
            return exists_already(dir / name);
        }
    }
    const std::array<std::string, names.size()> contents{
        json(saved), csv(saved), text(saved), html(saved), saved.plan.profile_text};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (Result<void> done = write_file(dir / names.at(i), contents.at(i)); !done) {
            return done;
        }
    }
    return {};
}

}  // namespace gensink::report

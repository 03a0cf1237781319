// SPDX-License-Identifier: BSD-3-Clause
#include "host/data_dir.hpp"

#include <system_error>

namespace gensink::host {

Result<std::filesystem::path> data_dir(const char* name) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path binary = fs::read_symlink("/proc/self/exe", error);
    for (fs::path dir = binary.parent_path(); !dir.empty(); dir = dir.parent_path()) {
        for (const fs::path& candidate : {dir / name, dir / "share" / "gensink" / name}) {
            if (fs::is_directory(candidate, error)) {
                return candidate;
            }
        }
        if (dir == dir.root_path()) {
            break;
        }
    }
    return fail(
        ErrorKind::environment,
        std::string("bundled files '") + name + "' not found beside the binary; reinstall gensink",
        binary.string()
    );
}

}  // namespace gensink::host

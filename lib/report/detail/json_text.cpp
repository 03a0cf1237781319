// SPDX-License-Identifier: BSD-3-Clause
#include "report/detail/json_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gensink::report::detail {

namespace {

[[nodiscard]] tl::unexpected<Error> no_result(std::string message, std::string where) {
    return fail(ErrorKind::usage, std::move(message), std::move(where));
}

}  // namespace

std::filesystem::path result_path(const std::filesystem::path& path) {
    std::error_code code;
    return std::filesystem::is_directory(path, code) ? path / "result.json" : path;
}

Result<std::string> read_result(const std::filesystem::path& path) {
    const std::filesystem::path file_path = result_path(path);
    errno = 0;
    std::ifstream file(file_path, std::ios::binary);
    if (!file) {
        const int os_code = errno;
        return fail(
            ErrorKind::usage,
            "cannot read the result: " + std::generic_category().message(os_code),
            file_path.string(),
            os_code
        );
    }
    return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Result<Json> parse_json(std::string_view text, const std::string& where) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
        return no_result("the file is empty; name a result.json that gensink run wrote", where);
    }
    if (text[start] != '{') {
        return no_result(
            "this is not a JSON result; name a result.json that gensink run wrote", where
        );
    }
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        if (error.byte > text.size()) {
            return no_result(
                fmt::format(
                    "the file ends early, after {} bytes: it was cut; copy it again or measure "
                    "again",
                    text.size()
                ),
                where
            );
        }
        return no_result(
            fmt::format("not valid JSON at byte {}; the file was damaged or edited", error.byte),
            where
        );
    }
}

}  // namespace gensink::report::detail

// SPDX-License-Identifier: BSD-3-Clause
#include "profile/schema.hpp"

#include "report/json.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.hpp"

namespace gensink::app {

void add_schema(Command root, Status& status) {
    Command command = root.add_command(
        "schema", "print the JSON Schema of profiles or results, or the profile's keys as Markdown"
    );
    auto what = std::make_shared<std::string>();
    command.add_option("WHAT", *what, "profile, result, or reference")
        .required()
        .one_of({"profile", "result", "reference"});
    command.callback([what, &status] {
        const std::string text = *what == "profile"  ? profile::schema()
                                 : *what == "result" ? report::result_schema()
                                                     : profile::reference();
        fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
        status = Status::ok;
    });
}

}  // namespace gensink::app

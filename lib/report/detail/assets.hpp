// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// Files that tools/embed makes part of the binary: those of lib/report/page, and of uPlot what
/// tools/vendor fetched; empty where it could not.
namespace gensink::report::detail {

extern const std::string_view page_css;
extern const std::string_view page_js;
extern const std::string_view charts_js;
extern const std::string_view uplot_js;
extern const std::string_view uplot_css;
extern const std::string_view uplot_license;

}  // namespace gensink::report::detail

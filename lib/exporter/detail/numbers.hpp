// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gensink::exporter::detail {

/// What a scrape gets. Written by one thread, collected by the server's; both hold the lock.
/// Unknown is absent, never 0.
class Numbers : public prometheus::Collectable {
  public:
    /// Takes what Exporter::progress was given; text that is no JSON object is ignored.
    void progress(std::string_view json);
    /// Takes what Exporter::ended was given.
    void ended(std::string_view json);

    [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

  private:
    mutable std::mutex lock_;
    std::vector<prometheus::MetricFamily> now_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> trials_;  ///< by arm, outcome
    std::map<std::string, std::uint64_t> lost_;                            ///< by arm
};

}  // namespace gensink::exporter::detail

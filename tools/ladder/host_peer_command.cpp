// SPDX-License-Identifier: MIT
// `ladder host-peer`: the process in which `ladder bench` lets NVBLAS run, preloaded. Nobody types it.
#include <iostream>

#include "bench/host/host_door_protocol.hpp"
#include "command_line.hpp"

namespace ladder::cli {

void add_host_peer(CLI::App& app, Chosen& chosen) {
  CLI::App* peer =
      app.add_subcommand("host-peer", "Answer the requests of ladder bench, with the sgemm_ of this process");
  peer->group("");  // not in the help
  peer->callback(
      [&chosen] { chosen = [] { return bench::serve_host_peer(bench::HostDoor::fortran, std::cin, std::cout); }; });
}

}  // namespace ladder::cli

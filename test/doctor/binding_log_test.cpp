// SPDX-License-Identifier: MIT
#include "binding_log.hpp"

#include <doctest/doctest.h>

using namespace ladder::doctor;

TEST_CASE("events of the auditor's record") {
  BindingLog log;
  for (const char* line :
       {"event=start\tpid=7\tprogram=/usr/bin/app\tmode=record",
        "event=open\tpid=7\tobject=/opt/lib.so\tnamespace=0\tours=no",
        "event=bind\tpid=7\tsymbol=sgemm_\tfrom=/usr/bin/app\tto=/opt/lib.so\tvia=dlsym\tnamespace=0\tredirected=no\t"
        "why=record_only",
        "event=bind\tpid=7\tsymbol=sgemm_\tfrom=/usr/bin/app\tto=/opt/lib.so\tvia=dlsym\tnamespace=0\tredirected=no\t"
        "why=record_only",
        "event=bind\tpid=8\tsymbol=cublasLtMatmul\tfrom=/opt/xla.so\tto=/opt/libcublasLt.so\tvia=plt\tnamespace=0\t"
        "redirected=yes\twhy=door\tlater=key",
        "event=close\tpid=7\tobject=/opt/lib.so\tnamespace=0", "event=ready\tpid=7", "", "noise"}) {
    read_binding_line(line, log);
  }
  CHECK(log.processes == std::map<std::string, std::string>{{"7", "/usr/bin/app"}});
  CHECK(log.objects == std::set<std::string>{"/opt/lib.so"});
  CHECK(log.bindings ==
        std::set<Binding>{{"sgemm_", "/usr/bin/app", "/opt/lib.so", Way::dlsym, false, "record_only"},
                          {"cublasLtMatmul", "/opt/xla.so", "/opt/libcublasLt.so", Way::linked, true, "door"}});
}

TEST_CASE("escaped values") {
  BindingLog log;
  read_binding_line("event=open\tobject=/a\\tb\\\\c\\nd\\", log);
  CHECK(log.objects == std::set<std::string>{"/a\tb\\c\nd\\"});
}

TEST_CASE("a record that is not there") {
  BindingLog log;
  CHECK_FALSE(read_binding_log("/nonexistent/record", log));
}

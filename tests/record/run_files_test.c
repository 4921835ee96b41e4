/* The parts of the names of a series' files, also of names that only a damaged series.json has. */
#include "collect/record/run_files.h"

#include "tests/tap.h"

static void check_name(const char *name, size_t prefix, size_t stem, pid_t pid)
{
    ok(run_files_prefix_length(name) == prefix && run_files_stem_length(name) == stem && run_files_pid(name) == pid,
       "the parts of '%s'", name);
}

int main(void)
{
    check_name("run-003-1234.trace", 7, 12, 1234);
    check_name("random-run-003-1234.2.exact", 14, 21, 1234);
    check_name("run.trace", 9, 3, 0);
    check_name("run-", 3, 4, 0);
    check_name("", 0, 0, 0);
    return done_testing();
}

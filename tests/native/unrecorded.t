#!/bin/sh
# Programs that take no preloaded library run as they do alone, whoever starts them; a line tells that they are not
# recorded. Those that filter their system calls are recorded until then.
. "$(dirname "$0")/lib.sh"
record=$build/libexec/assay/assay-record
cat >said.c <<'END'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const char *preload = getenv("LD_PRELOAD");
    puts(preload && *preload ? preload : "no preload");
    fputs("error output\n", stderr);
    return 3;
}
END
cat >spawn.c <<'END'
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

extern char **environ;

int main(int count, char **arguments)
{
    pid_t child;
    int status = 0;
    for (int i = 1; i < count; i++) {
        char *argv[] = {arguments[i], NULL};
        if (posix_spawn(&child, arguments[i], NULL, NULL, argv, environ) != 0)
            printf("%s can't be started\n", arguments[i]);
        else if (waitpid(child, &status, 0) == child)
            printf("%s %d\n", arguments[i], WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
END
cc -o spawn spawn.c || exit 1

# made PROGRAM COMMAND...: whether this machine can make, and run, such a program
made() {
    made=$1
    shift
    "$@" -o "$made" said.c >/dev/null 2>&1 && "./$made" >/dev/null 2>&1
    [ $? -eq 3 ]
}

# unrecorded PROGRAM WHY: the program alone, and started in different ways by recorded ones
unrecorded() {
    program=$1
    why=$2
    printf '%s\n' "./$program" 'echo "status $?"' >"$program.sh"
    for way in "./$program" "sh $program.sh" "./spawn ./$program ./$program" "env ./$program"; do
        $way >alone 2>&1
        status=$?
        rm -rf out
        "$record" -q -o out -- $way >said 2>both
        got=$?
        [ "$way" != "./$program" ] || is $got $status "$program: its own status"
        grep -v '^assay' both >err
        $way 2>err.alone >out.alone
        is "$(cat said err)" "$(cat out.alone err.alone)" "$way: output as without recording"
        like both "$program(,| is)? .*$why" '  and a line tells why it is not recorded'
        is "$(grep -c "not recorded.*$why" both)" 1 '  one line'
    done
}

for kind in 'musl musl-gcc|the GNU C library' 'asan gcc -fsanitize=address|sanitizer' \
    'tsan gcc -fsanitize=thread|sanitizer' 'lsan gcc -fsanitize=leak|sanitizer' 'bits32 gcc -m32|64-bit'; do
    how=${kind%|*}
    if made $how; then
        unrecorded "${how%% *}" "${kind#*|}"
    else
        skip "${how%% *}: such a program can't be made here"
    fi
done

# Go without cgo has an interpreter, but no library.
cat >bare.go <<'END'
package main

import (
	"fmt"
	"os"
)

func main() {
	if os.Getenv("LD_PRELOAD") == "" {
		fmt.Println("no preload")
	}
	fmt.Fprintln(os.Stderr, "error output")
	os.Exit(3)
}
END
if CGO_ENABLED=0 GOCACHE=$PWD/.go go build -buildmode=pie -o gobare bare.go >/dev/null 2>&1; then
    unrecorded gobare 'the GNU C library'
else
    skip 'Go: there is none here'
fi

# One that is statically linked ignores the agent, which the programs that it starts get.
made static gcc -static || exit 1
"$record" -q -o static.out -- ./static >said 2>err
is $? 3 'static: its own status'
is "$(cat said)" "$agent" '  programs that it starts get the agent'
like err 'static is not recorded: it is statically linked' '  a line tells that it is not recorded'

# What the user preloads stays.
cc -shared -fPIC -x c -o other.so - <<'END' || exit 1
int nothing;
END
if made musl musl-gcc; then
    LD_PRELOAD=$PWD/other.so "$record" -q -o other.out -- env LD_PRELOAD="$agent" ./musl >said 2>err
    is "$(cat said)" 'no preload' 'the agent alone is taken out of a preload'
fi

# The filter.
cc -O1 -o filtered -x c -I"$root/tests/traits" - <<'END' || exit 1
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, all};
    burn(0.05);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == 0)
        return 1;
    burn(0.55);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 2;
    burn(1.2);
    execlp("env", "env", NULL);
    return 3;
}
END
"$record" -q -o filter.out -- ./filtered >said 2>err
is $? 0 'a program that installs a filter: its own status'
like err 'run 1: process [0-9]+, filtered: it restricts its system calls' '  a line tells that its recording ended'
is "$(grep -c ^ASSAY_RECORD= said)" 0 '  a program that it executes then is not recorded'
"$build/tests/sample/trace_text" filter.out/*.trace >text
like text '^whole' '  its trace is whole'
# 60 before the filter, of which 5 before the question, and 120 after it; ticks in wall time vary by 8. In stolen time,
# which is not CPU time, there may be any number.
between 25 "$(grep -c '^sample' text)" 1000000 '  and goes on after the question whether there are filters'
between 250 "$(awk '/^sample/ {if (!n++) first = $4; last = $4} END {print (last - first) / 1e6}' text)" 1000 \
    '  until the filter'
done_testing

#!/bin/sh
# The dynamic linker during a recording: its locks at a fork, calls from destructors, libraries that are unloaded. A
# process that writes its own trace asks the linker in a thread of its own; otherwise nobody does.
. "$(dirname "$0")/lib.sh"

# holds MS FORKS GRANDCHILDREN: a thread takes the lock of the list of loaded files again and again, for MS ms or, if MS
# is 0, until the program ends, while the main thread forks; each child calls a function and forks GRANDCHILDREN times.
# Prints how many forks of children gave up the processor: a thread that waits does, and one that the machine holds up
# does not.
cat >holds.c <<'END'
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#define QUIET __attribute__((no_instrument_function, noinline))
static volatile int held, stop;
static int ms;
void called(void) {}
QUIET static int hold(struct dl_phdr_info *info, size_t size, void *nothing)
{
    (void)info;
    (void)size;
    (void)nothing;
    held = 1;
    usleep(1000 * (useconds_t)ms);
    while (ms == 0 && !stop)
        usleep(1000);
    held = 0;
    return 1;
}
QUIET static void *holds(void *nothing)
{
    while (!stop) {
        dl_iterate_phdr(hold, NULL);
        usleep(3000);
    }
    return nothing;
}
QUIET static long waits(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}
QUIET int main(int count, char **arguments)
{
    pthread_t thread;
    int waited = 0;
    ms = count == 4 ? atoi(arguments[1]) : 0;
    pthread_create(&thread, NULL, holds, NULL);
    for (int i = 0; i < atoi(arguments[2]); i++) {
        while (!held)
            usleep(100);
        pid_t child = fork();
        int status = 0;
        if (child == 0) {
            called();
            for (int left = atoi(arguments[3]); left > 0; left--) {
                long before = waits();
                pid_t grandchild = fork();
                if (grandchild == 0)
                    _exit(0);
                waited += waits() > before;
                waitpid(grandchild, NULL, 0);
            }
            _exit(waited);
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
            abort();
        waited += WEXITSTATUS(status);
    }
    stop = 1;
    pthread_join(thread, NULL);
    printf("%d\n", waited);
    return 0;
}
END
gcc -O1 -finstrument-functions -pthread -o holds holds.c || exit 1
# unrecorded: the number of processes of which err reports that
unrecorded() {
    sed -n 's/.*the dynamic linker was busy as its parent forked: this process is not recorded.*/&/p' err |
        awk '{ n += 1 + (match($0, /and [0-9]+ more/) ? substr($0, RSTART + 4) : 0) } END { print n + 0 }'
}

recorded -- ./holds 20 10 0
is "$? $(unrecorded) $(counted)" '0 0 called enter 10
called exit 10' "forks while another thread has the linker's lock: every call of the children is recorded"
recorded -- ./holds 0 1 20
between 0 "$(cat said)" 5 'forks while the lock stays taken: the child does not hang, nor do its own forks wait'
is "$(unrecorded) $(counted)" '0 called enter 1
called exit 1' '  and its call is recorded'

inside ./holds 20 10 0
is $? 0 "  where processes write their own traces: no child hangs"
# A machine that stands still can make the recorder wait in vain for a lock that is held for 20 ms.
busy=$(unrecorded)
between 0 "$busy" 9 '  children are recorded'
is "$(counted)" "called enter $((10 - busy))
called exit $((10 - busy))" '  with every call, or report that they are not'
inside ./holds 0 1 20
between 0 "$(cat said)" 5 '  while the lock stays taken: the child does not hang, nor do its own forks wait'
is "$(unrecorded)" 1 '  one line reports that it is not recorded'

# forks MS: forks inside a callback of dl_iterate_phdr(), which has had the lock for MS ms.
cat >forks.c <<'END'
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define QUIET __attribute__((no_instrument_function, noinline))
void called(void) {}
QUIET static int forks(struct dl_phdr_info *info, size_t size, void *ms)
{
    int status = 1;
    (void)info;
    (void)size;
    usleep(1000 * *(useconds_t *)ms);
    pid_t child = fork();
    called();
    if (child == 0)
        return 2;
    return waitpid(child, &status, 0) == child && status == 0 ? 1 : 3;
}
QUIET int main(int count, char **arguments)
{
    useconds_t ms = (useconds_t)(count == 2 ? atoi(arguments[1]) : 0);
    for (int i = 0, answer; i < 5; i++)
        if ((answer = dl_iterate_phdr(forks, &ms)) != 1)
            exit(answer == 2 ? 0 : 1);
    return 0;
}
END
gcc -O1 -finstrument-functions -o forks forks.c || exit 1
for ms in 0 700; do
    recorded -- timeout 250 ./forks $ms
    is "$? $(unrecorded) $(counted)" '0 0 called enter 10
called exit 10' "a program forks when it has had the linker's lock for $ms ms: its child goes on, and is recorded"
    inside timeout 250 ./forks $ms
    is "$? $(unrecorded) $(counted)" '0 5 called enter 5
called exit 5' '  where processes write their own traces, it reports that it is not recorded'
done

# The same while another thread enters functions that are new to the recorder, which asks the linker about each.
awk 'BEGIN {
    print "#define _GNU_SOURCE\n#include <link.h>\n#include <pthread.h>\n#include <sys/wait.h>\n#include <unistd.h>"
    for (i = 0; i < 6000; i++) print "__attribute__((noinline)) static void f" i "(void) { __asm__ volatile(\"\"); }"
    print "static void (*const all[])(void) = {"
    for (i = 0; i < 6000; i++) print "f" i ","
    print "};"
}' >busy.c
cat >>busy.c <<'END'
#define QUIET __attribute__((no_instrument_function, noinline))
QUIET static int forks(struct dl_phdr_info *info, size_t size, void *nothing)
{
    (void)info;
    (void)size;
    (void)nothing;
    usleep(5000);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return 1;
}
QUIET static void *calls(void *nothing)
{
    for (int i = 0; i < 6000; i++) {
        all[i]();
        if (i % 20 == 0)
            usleep(1000);
    }
    return nothing;
}
QUIET int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, calls, NULL);
    for (int i = 0; i < 40; i++)
        dl_iterate_phdr(forks, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
gcc -O1 -finstrument-functions -pthread -o busy busy.c || exit 1
for writer in 'recorded --' inside; do
    $writer timeout -s KILL 250 ./busy
    is "$? $(counted | grep -c 'enter 1$')" '0 6000' \
        "  while another thread enters new functions: all its calls are recorded ($writer)"
done

# Calls from destructors: of a library that is unloaded, and of one that the program is linked with.
cat >ends.c <<'END'
static volatile int sink;
void CALLED(void) { sink++; }
__attribute__((destructor)) static void end(void) { for (int i = 0; i < 3; i++) CALLED(); }
END
cat >unloads.c <<'END'
#include <dlfcn.h>
void linked(void);
int main(void)
{
    void *library = dlopen("./closed.so", RTLD_NOW);
    linked();
    return !library || dlclose(library) != 0;
}
END
printf 'linked\nclosed\n' >list
for option in -finstrument-functions -fpatchable-function-entry=5; do
    gcc -O1 -fno-inline -shared -fPIC $option -DCALLED=linked -o linked.so ends.c &&
        gcc -O1 -fno-inline -shared -fPIC $option -DCALLED=closed -o closed.so ends.c &&
        gcc -O1 $option -o unloads unloads.c ./linked.so || exit 1
    expected='closed enter 3
closed exit 3
linked enter 4
linked exit 4'
    recorded --methods list -- ./unloads
    is "$? $(counted)" "0 $expected" "$option: calls from destructors are recorded of chosen functions"
    recorded -- ./unloads
    is "$? $(counted)" "0 $(printf '%s\nend enter 2\nend exit 2\nmain enter 1\nmain exit 1\n' "$expected" | sort)" \
        '  and of all functions'
done

# A library is unloaded while the recorder waits for a lock: it reports that.
cat >hasty.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>
static volatile int held;
static int hold(struct dl_phdr_info *info, size_t size, void *nothing)
{
    (void)info;
    (void)size;
    (void)nothing;
    held = 1;
    sleep(3);
    return 1;
}
static void *holds(void *nothing)
{
    dl_iterate_phdr(hold, NULL);
    return nothing;
}
int main(void)
{
    pthread_t thread;
    void *library = dlopen("./closed.so", RTLD_NOW);
    pthread_create(&thread, NULL, holds, NULL);
    while (!held)
        usleep(1000);
    int status = !library || dlclose(library) != 0;
    pthread_join(thread, NULL);
    return status;
}
END
gcc -O1 -finstrument-functions -pthread -o hasty hasty.c || exit 1
inside ./hasty
is $? 0 'a library is unloaded while the recorder, in the process, waits for the linker: status 0'
like err 'unloaded 1 time while the recorder was held up: calls of their functions before that may be missing' \
    '  a message tells that calls may be missing'
recorded -- ./unloads
unlike err 'held up' '  and there is none if the recorder did not wait'
done_testing

// Code that a recorder of calls must not trip over: frames of every size below which a signal handler may lie, code
// that can be executed but not read, a debug register of its own, and an end while other threads still call functions.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#define CALL __attribute__((noinline))

enum { ROUNDS = 400 };

static volatile unsigned long sink;

CALL void spin(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink = sink + i;
}

template <unsigned BYTES> CALL unsigned frame()
{
    volatile char local[BYTES];
    local[0] = 1;
    spin(20);
    local[BYTES - 1] = 2;
    spin(20);
    return static_cast<unsigned>(local[0] + local[BYTES - 1]);
}

template <unsigned... SIZES> static unsigned long frames(std::integer_sequence<unsigned, SIZES...>)
{
    unsigned long sum = 0;
    for (int i = 0; i < 4; i++)
        ((sum += frame<16 * SIZES + 16>()), ...);
    return sum;
}

static volatile long watched;
static volatile int hits;

// A debug register of the program's own, unless others have all.
static int watch()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { hits = hits + 1; };
    sigaction(SIGTRAP, &action, nullptr);
    struct perf_event_attr attr = {};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_BREAKPOINT;
    attr.sample_period = 1;
    attr.bp_type = HW_BREAKPOINT_W;
    attr.bp_addr = reinterpret_cast<unsigned long>(&watched);
    attr.bp_len = sizeof watched;
    attr.exclude_kernel = attr.exclude_hv = attr.remove_on_exec = attr.sigtrap = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static bool has_vsyscall()
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, "[vsyscall]") != nullptr;
    if (maps)
        fclose(maps);
    return found;
}

int main()
{
    unsigned long sum = 0, times = 0;
    int fd = watch();
    for (int round = 0; round < ROUNDS; round++)
        sum += frames(std::make_integer_sequence<unsigned, 500>()), watched = round;
    close(fd);
    auto now = reinterpret_cast<time_t (*)(time_t *)>(0xffffffffff600400);
    bool can = has_vsyscall();
    for (int i = 0; i < 100000; i++)
        times += !can || now(nullptr) > 0;
    for (int i = 0; i < 4; i++)
        std::thread([] {
            for (;;)
                spin(50);
        }).detach();
    spin(5000000);
    /* Some virtual machines lose a few. */
    printf("sum %lu, times %lu, %s\n", sum, times, fd < 0 || hits > ROUNDS / 10 * 9 ? "hits" : "few hits");
    return 7;
}

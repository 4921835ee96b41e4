// Code that a recorder of calls must not trip over: frames of every size below which a signal handler may lie, code
// that can be executed but not read, and an end while other threads still call functions.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>

#define CALL __attribute__((noinline))

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
    for (int round = 0; round < 400; round++)
        sum += frames(std::make_integer_sequence<unsigned, 500>());
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
    printf("sum %lu, times %lu\n", sum, times);
    return 7;
}

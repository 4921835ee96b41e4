// Programs that see their return addresses: a garbage collector that looks for those of code that it has made, exceptions
// through frames that clean up for long, backtraces. And one that traps inexact results.
#include <cfenv>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <vector>

#define CALL __attribute__((noinline, optimize("no-omit-frame-pointer")))

enum { ROUNDS = 150000, THREADS = 200, THROWS = 30 };

static thread_local volatile unsigned long sink;

CALL static void spin(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink = sink + i;
}

/* -------------------------------------------------------------------------- code without unwind tables -- */

static unsigned char *code;
static unsigned long unknown;

// The return address of the caller's frame leads into that code.
CALL static void collect()
{
    auto frame = static_cast<void **>(__builtin_frame_address(0));
    auto caller = static_cast<void **>(*frame);
    unknown += static_cast<unsigned char *>(caller[1]) - code >= 64;
}

CALL static void allocate()
{
    spin(20);
    collect();
    spin(20);
}

static unsigned long run_made_code()
{
    // push %rbp; mov %rsp,%rbp; push %rdi; sub $8,%rsp; call *%rdi; add $8,%rsp; pop %rdi; call *%rdi; pop %rbp; ret:
    // the stack is aligned at the first call only, which suffices here
    static const unsigned char made[] = {0x55, 0x48, 0x89, 0xe5, 0x57, 0x48, 0x83, 0xec, 0x08, 0xff, 0xd7,
                                         0x48, 0x83, 0xc4, 0x08, 0x5f, 0xff, 0xd7, 0x5d, 0xc3};
    code = static_cast<unsigned char *>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    memcpy(code, made, sizeof made);
    for (int i = 0; i < ROUNDS; i++)
        reinterpret_cast<void (*)(void (*)())>(code)(allocate);
    return unknown;
}

/* -------------------------------------------------------------------------- exceptions -- */

struct cleaner {
    ~cleaner() { spin(300); }
};

CALL static int throw_below(int depth)
{
    cleaner here;
    if (depth == 0)
        throw std::runtime_error("below");
    return throw_below(depth - 1) + 1;
}

static unsigned long catch_many()
{
    static std::vector<unsigned long> caught(THREADS);
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back([t] {
            for (int i = 0; i < THROWS; i++)
                try {
                    throw_below(i % 7);
                } catch (const std::exception &) {
                    caught[t]++;
                }
        });
    unsigned long sum = 0;
    for (int t = 0; t < THREADS; t++) {
        threads[t].join();
        sum += caught[t];
    }
    return sum;
}

/* -------------------------------------------------------------------------- backtraces -- */

CALL static int count_frames()
{
    void *frames[64];
    int count = backtrace(frames, 64);
    spin(5);
    return count;
}

static unsigned long count_other_depths()
{
    unsigned long other = 0;
    int first = count_frames();
    for (int i = 0; i < ROUNDS / 10; i++)
        other += count_frames() != first;
    return other;
}

int main()
{
    printf("unknown %lu, caught %lu, other depths %lu\n", run_made_code(), catch_many(), count_other_depths());
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INEXACT);
    for (int i = 0; i < ROUNDS; i++)
        allocate();
    return 3;
}

// Ways to leave a call, and stacks, that a recorder of calls must not disturb: 10,000 calls deep, longjmp and exceptions
// over 100 calls, ucontext, handlers on another stack, vfork, fork, dlclose, 200 threads. Argument: rounds.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define CALL __attribute__((noinline))

static volatile unsigned long sink;

CALL void spin(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sink = sink + i;
}

CALL unsigned long deep(unsigned depth)
{
    if (depth == 0) {
        spin(2000);
        return 1;
    }
    unsigned long below = deep(depth - 1) + 1;
    if (depth % 1000 == 0)
        spin(100);
    return below;
}

static jmp_buf start;

CALL void jump(int depth)
{
    spin(50);
    if (depth == 0)
        longjmp(start, 1);
    jump(depth - 1);
    spin(1);
}

CALL void fail(int depth)
{
    spin(50);
    if (depth == 0)
        throw std::runtime_error("deep");
    fail(depth - 1);
    spin(1);
}

static ucontext_t outside, inside;
static char stack[262144];
static int switches;

static void coroutine()
{
    for (;;) {
        spin(3000);
        switches++;
        swapcontext(&inside, &outside);
    }
}

static void handle(int)
{
    spin(500);
}

static int wait_for(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static int children()
{
    pid_t child = vfork();
    if (child == 0)
        _exit(3);
    int sum = wait_for(child);
    child = fork();
    if (child == 0) {
        spin(1000000);
        _exit(4);
    }
    return sum + wait_for(child);
}

static void load()
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    auto root = reinterpret_cast<double (*)(double)>(dlsym(library, "cbrt"));
    for (int i = 0; i < 1000; i++)
        sink = sink + static_cast<unsigned long>(root(i));
    dlclose(library);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 50;
    unsigned long depth = 0;
    volatile int jumps = 0;
    int failures = 0, statuses = 0;
    stack_t other = {};
    other.ss_sp = malloc(65536);
    other.ss_size = 65536;
    sigaltstack(&other, nullptr);
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    makecontext(&inside, coroutine, 0);
    for (int round = 0; round < rounds; round++) {
        depth += deep(10000);
        for (int i = 0; i < 100; i++) {
            if (setjmp(start) == 0)
                jump(100);
            jumps = jumps + 1;
        }
        for (int i = 0; i < 20; i++)
            try {
                fail(100);
            } catch (const std::exception &) {
                failures++;
            }
        for (int i = 0; i < 100; i++)
            swapcontext(&outside, &inside);
        for (int i = 0; i < 100; i++)
            raise(SIGUSR1);
        if (round % 10 == 0) {
            statuses += children();
            load();
        }
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 200; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 200; k++)
                spin(10000);
        });
    for (auto &thread : threads)
        thread.join();
    printf("depth %lu, jumps %d, failures %d, switches %d, statuses %d\n", depth, jumps, failures, switches, statuses);
    return 0;
}

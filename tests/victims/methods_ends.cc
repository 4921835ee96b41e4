/*
 * For -finstrument-functions and -fpatchable-function-entry: functions that end in every way there is, a hundred times
 * each, at any level of optimization.
 *   main 1, unfinished, since stops() never returns; caught, jumped 100 exits each; last, chain, guarded 100 exits each
 *   fails 100, by an exception; between 100, by an exception; hops, below 100, by a longjmp, as by an exception
 *   never 100, by an exception: it does not return
 *   swallows 100 exits, brief, which it calls, 100, by an exception: the compiler may inline both
 *   stops 1, unfinished: it ends the process
 */
#include <csetjmp>
#include <cstdlib>

#define APART __attribute__((noinline))

static volatile int sink;
static jmp_buf place;

struct Guard {
    int more;
    APART ~Guard();
};

static APART void guarded(int more)
{
    volatile char room[64];
    room[more] = 1;
    sink += room[more];
}

/* Runs while an exception is in flight: its frame is smaller than those that were below it. */
Guard::~Guard()
{
    guarded(more);
}

[[noreturn]] static APART void never(int n)
{
    throw n;
}

static APART int fails(int n)
{
    if (n >= 0)
        never(n);
    sink++;
    return n;
}

static APART int between(int n)
{
    Guard guard{n % 7};
    return fails(n) + 1;
}

static APART int caught(int n)
{
    try {
        return between(n);
    } catch (int caught) {
        return caught;
    }
}

static APART void below(int n)
{
    if (n >= 0)
        longjmp(place, 1);
    sink++;
}

static APART void hops(int n)
{
    below(n);
    sink++;
}

static APART void jumped(int n)
{
    if (!setjmp(place))
        hops(n);
}

static APART int last(int n)
{
    return sink += n;
}

/* Its last act is a call. */
static APART int chain(int n)
{
    sink++;
    return last(n + 1);
}

static int brief(int n)
{
    if (sink != -1)
        throw n;
    return n;
}

static int swallows(int n)
{
    try {
        return brief(n);
    } catch (int caught) {
        return caught;
    }
}

[[noreturn]] static APART void stops()
{
    exit(0);
}

int main()
{
    for (int i = 0; i < 100; i++)
        sink += caught(i);
    for (int i = 0; i < 100; i++)
        jumped(i);
    for (int i = 0; i < 100; i++)
        sink += chain(i);
    for (int i = 0; i < 100; i++)
        sink += swallows(i);
    stops();
}

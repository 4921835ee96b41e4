/*
 * For -finstrument-functions: three times, an exception passes a hundred frames, whose destructors throw and catch
 * their own exceptions; it is thrown again where it was caught, and another one follows.
 *   main 1 exit; outer 3 exits; thrower 3, by an exception; deep 300, by an exception
 *   Guard::Guard 300 exits; Guard::~Guard 300 exits; clean 303 exits
 */
#include <stdexcept>

static int sink;

static void clean()
{
    sink++;
}

struct Guard {
    Guard();
    ~Guard();
};

Guard::Guard()
{
    __asm__ volatile(""); /* or the compiler would remove the call */
}

Guard::~Guard()
{
    try {
        clean();
        if (sink % 2)
            throw 1;
    } catch (int) {
    }
}

static void deep(int n)
{
    Guard guard;
    if (n == 0)
        throw std::runtime_error("deep");
    deep(n - 1);
    sink++;
}

static void thrower()
{
    try {
        deep(99);
    } catch (std::exception &) {
        try {
            throw;
        } catch (...) {
        }
        clean();
        throw;
    }
}

static void outer()
{
    try {
        thrower();
    } catch (std::exception &) {
    }
}

int main()
{
    for (int i = 0; i < 3; i++)
        outer();
}

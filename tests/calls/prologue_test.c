/* Where the stack pointer will be before the next branch, and what has just been called: from machine code. */
#include "collect/calls/calls.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"

enum { STACK = 0x10000 };

static uint64_t after(const uint8_t *code)
{
    return prologue_stack((uint64_t)(uintptr_t)code, STACK);
}

#define CODE(...) ((const uint8_t[32]){__VA_ARGS__, 0xc3})

static void test_stack(void)
{
    is_u64(after(CODE(0x90)), STACK, "nothing that moves the stack pointer");
    is_u64(after(CODE(0x55, 0x48, 0x89, 0xe5, 0x41, 0x54, 0x53)), STACK - 24,
           "push %%rbp; mov; push %%r12; push %%rbx");
    is_u64(after(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x18)), STACK - 24, "endbr64; sub $24");
    is_u64(after(CODE(0x48, 0x81, 0xec, 0x00, 0x10, 0, 0)), STACK - 4096, "sub $4096");
    is_u64(after(CODE(0x6a, 0x05, 0x68, 1, 0, 0, 0)), STACK - 16, "push of numbers");
    is_u64(after(CODE(0x48, 0x83, 0xc4, 0x10, 0x5b)), STACK + 24, "add $16; pop %%rbx");
    is_u64(after(CODE(0x53, 0x48, 0x83, 0xe4, 0xe0)), (STACK - 8) & ~31, "push; and $-32");
    is_u64(after(CODE(0x53, 0x74, 0x02, 0x55)), STACK - 8, "not beyond a branch");
    is_u64(after(CODE(0x53, 0xe8, 0, 0, 0, 0, 0x55)), STACK - 8, "not beyond a call");
    is_u64(after(CODE(0x53, 0xc9, 0x55)), STACK - 8, "not beyond leave");
    is_u64(after(CODE(0x53, 0x48, 0x29, 0xc4, 0x55)), STACK - 8, "not beyond sub %%rax,%%rsp");
    is_u64(after(CODE(0x53, 0x48, 0x8d, 0x65, 0xd8, 0x55)), STACK - 8, "not beyond lea -40(%%rbp),%%rsp");
    is_u64(after(CODE(0x53, 0x48, 0x89, 0xec, 0x55)), STACK - 8, "not beyond mov %%rbp,%%rsp");
    is_u64(after(CODE(0x53, 0x41, 0xff, 0x72, 0xf8, 0x55)), STACK - 8, "not beyond push -8(%%r10)");
    is_u64(after(CODE(0x53, 0x48, 0x8b, 0x44, 0x24, 0x08, 0x55)), STACK - 16, "beyond mov 8(%%rsp),%%rax");
}

/* Code at the end of a page that is the last one. */
static void test_page_end(void)
{
    enum { PAGE = 4096 };
    uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + PAGE, PAGE);
    memset(pages + PAGE - 4, 0x53, 4);
    is_u64(after(pages + PAGE - 4), STACK - 32, "code at the end of the last page");
    is_u64(prologue_function((uint64_t)(uintptr_t)pages + PAGE - 4), (uint64_t)(uintptr_t)pages + PAGE - 4,
           "  is no stub");
    ok(!prologue_is_called(1000, (uint64_t)(uintptr_t)pages + PAGE + 4), "no call is in memory that is not there");
}

static void test_called(void)
{
    static const uint8_t direct[] = {0xe8, 0x10, 0, 0, 0}, indirect[] = {0xff, 0xd0},
                         memory[] = {0xff, 0x54, 0x24, 0x08}, push[] = {0x53, 0x90},
                         far_memory[] = {0x41, 0xff, 0x95, 0x80, 0x01, 0, 0};
    uint8_t code[64] = {0};
    uint64_t back = (uint64_t)(uintptr_t)code + 32;
    memset(code, 0x90, sizeof code);
    memcpy(code + 27, direct, sizeof direct);
    ok(prologue_is_called(back + 0x10, back), "a direct call to this place");
    ok(!prologue_is_called(back + 0x11, back), "  not to another");
    memset(code, 0x90, sizeof code);
    ok(!prologue_is_called(back + 0x10, back), "no call");
    memcpy(code + 30, push, sizeof push);
    ok(!prologue_is_called(back + 0x10, back), "a push");
    memcpy(code + 30, indirect, sizeof indirect);
    ok(prologue_is_called(back + 0x10, back), "call *%%rax");
    memcpy(code + 28, memory, sizeof memory);
    ok(prologue_is_called(back + 0x10, back), "call *8(%%rsp)");
    memcpy(code + 25, far_memory, sizeof far_memory);
    ok(prologue_is_called(back + 0x10, back), "call *384(%%r13)");
    ok(!prologue_is_called(1000, 0) && !prologue_is_called(1000, 17), "words that are no addresses");
}

static void test_stubs(void)
{
    uint8_t code[32] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 5, 0, 0, 0};
    uint64_t stub = (uint64_t)(uintptr_t)code, target = stub + (1 << 20), later = stub + 6;
    memcpy(code + 16, &target, sizeof target);
    is_u64(prologue_function(stub), target, "endbr64; bnd jmp *5(%%rip)");
    memset(code, 0, sizeof code);
    memcpy(code, (const uint8_t[]){0xff, 0x25, 10, 0, 0, 0}, 6);
    memcpy(code + 16, &target, sizeof target);
    is_u64(prologue_function(stub), target, "jmp *10(%%rip)");
    memcpy(code + 16, &later, sizeof later);
    is_u64(prologue_function(stub), 0, "  the linker has yet to find the function");
    memcpy(code, (const uint8_t[]){0x55, 0x48, 0x89, 0xe5, 0xc3}, 5);
    is_u64(prologue_function(stub), stub, "a function is itself");
}

static bool leaves_return(const char *name)
{
    return prologue_leaves_return((uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name));
}

#define LEAVES(...) prologue_leaves_return((uint64_t)(uintptr_t)CODE(__VA_ARGS__))

static void test_return_address(void)
{
    ok(LEAVES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0x48, 0x8b, 0x45, 0xf8, 0xc9), "a function with a frame");
    ok(!LEAVES(0x48, 0x8b, 0x04, 0x24), "mov (%%rsp),%%rax");
    ok(!LEAVES(0x41, 0x54, 0x49, 0x89, 0xf4, 0x48, 0x8b, 0x44, 0x24, 0x08),
       "mov %%rsi,%%r12 before mov 8(%%rsp),%%rax");
    ok(!LEAVES(0x5f, 0x0f, 0x05, 0x57), "pop %%rdi");
    ok(!LEAVES(0x48, 0x89, 0x04, 0x24), "mov %%rax,(%%rsp)");
    ok(!LEAVES(0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x8b, 0x44, 0x24, 0x18), "mov 24(%%rsp),%%rax below 24 bytes");
    ok(LEAVES(0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x8b, 0x44, 0x24, 0x20), "  32(%%rsp) is the caller's");
    ok(!LEAVES(0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x8b, 0x7d, 0x08), "mov 8(%%rbp),%%rdi");
    ok(!LEAVES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x8b, 0x7d, 0x08),
       "  also below a stack that is aligned anew");
    ok(!LEAVES(0x74, 0x02, 0x90, 0x90, 0x48, 0x8b, 0x04, 0x24), "beyond a branch");
    ok(!LEAVES(0xeb, 0x02, 0xc3, 0xc3, 0x48, 0x8b, 0x04, 0x24), "beyond a jump");
    static const char *const uses[] = {"_setjmp", "__sigsetjmp", "getcontext", "swapcontext",
                                       "vfork",   "dlsym",       "dlopen"},
                             *const leave[] = {"qsort", "malloc", "printf", "strtol", "memcpy", "pthread_create"};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        ok(!leaves_return(uses[i]), "%s uses its return address", uses[i]);
    for (size_t i = 0; i < sizeof leave / sizeof *leave; i++)
        ok(leaves_return(leave[i]), "%s does not", leave[i]);
}

int main(void)
{
    test_return_address();
    test_stack();
    test_page_end();
    test_called();
    test_stubs();
    return done_testing();
}

#!/bin/sh
# Loops of compiled functions: the source's loops are found in the machine code of gcc -O2.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'loops are found in x86-64 code'
needs tests/x86/loops_text
scratch

# A MARK is a symbol in the machine code at the place where the source has it.
cat >nests.c <<'END'
#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ":" ::: "memory")
extern void report(const char *), work(int);
extern int more(int), work_on(const unsigned char *); /* the compiler knows nothing about them */
extern void stop(void) __attribute__((noreturn));

void nest(int n)
{
    MARK(nest_0);
    for (int i = n; more(i); i++) {
        MARK(nest_1);
        for (int j = i; more(j); j++) {
            MARK(nest_2);
            for (int k = j; more(k); k++)
                MARK(nest_3);
            MARK(nest_4);
        }
        for (int j = 0; more(j); j++)
            MARK(nest_5);
    }
    MARK(nest_6);
}

int scan(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        MARK(scan_1);
        if (p[i] < 0)
            continue;
        if (p[i] == 7)
            break;
        work(p[i]);
        MARK(scan_2);
        sum += p[i];
    }
    MARK(scan_3);
    return sum;
}

void bottom(const char *p)
{
    do {
        MARK(bottom_1);
        while (*p == ' ') {
            MARK(bottom_2);
            p++;
        }
        work(*p);
    } while (*p++);
    MARK(bottom_3);
}

void cases(const unsigned char *p, int n)
{
    for (int i = 0; i < n; i++) {
        MARK(cases_1);
        switch (p[i]) {
        case 0: MARK(cases_2); work(7); break;
        case 1: MARK(cases_3); work(i); break;
        case 2: MARK(cases_4); report("two"); continue;
        case 3: for (int j = 0; j < n; j++) { MARK(cases_5); work(j); } break;
        case 4: MARK(cases_6); i += p[i + 1]; break;
        case 5: MARK(cases_7); report("five"); /* fall through */
        case 6: MARK(cases_8); work(3 * i); break;
        case 7: MARK(cases_9); return;
        default: MARK(cases_10); report("other");
        }
    }
}

void twice(const unsigned char *p, int n)
{
    for (int i = n; more(i); i++) {
        MARK(twice_1);
        switch (p[i]) {
        case 0: MARK(twice_2); report("zero"); break;
        case 1: MARK(twice_3); work(i); break;
        case 2: MARK(twice_4); work(3 * i); /* fall through */
        case 3: MARK(twice_5); report("three"); break;
        case 4: MARK(twice_6); i += work_on(p); break;
        case 5: work(5); break;
        }
        while (more(7)) {
            MARK(twice_7);
            switch (p[1] & 7) {
            case 0: MARK(twice_8); report("none"); break;
            case 1: MARK(twice_9); work(i); break;
            case 2: MARK(twice_10); work(3 * i); /* fall through */
            case 3: MARK(twice_11); report("more"); break;
            case 4: MARK(twice_12); p += work_on(p); break;
            case 5: goto out;
            case 6: i += work_on(p + 6); break;
            case 7: i -= work_on(p + 7);
            }
            work(99);
        }
        work(100);
    }
out:
    MARK(twice_13);
}

int computed(const unsigned char *p)
{
    static const void *const labels[] = {&&stop, &&add, &&count, &&add};
    int sum = 0;
    goto *labels[*p];
add:
    MARK(computed_1);
    work(sum++);
    goto *labels[*++p];
count:
    for (int i = 0; more(i); i++) {
        MARK(computed_2);
        sum += i;
    }
    goto *labels[*++p];
stop:
    MARK(computed_3);
    return sum;
}

void twoway(int n)
{
    if (n & 1)
        goto two;
one:
    MARK(twoway_1);
    work(1);
two:
    MARK(twoway_2);
    work(2);
    if (--n > 0)
        goto one;
}

void checked(const int *p, int n)
{
    if (n < 0) {
        report("negative");
        stop();
    }
    for (int i = 0; i < n; i++) {
        MARK(checked_1);
        if (__builtin_expect(p[i] == 0, 0)) {
            report("zero");
            MARK(checked_2);
        }
        if (__builtin_expect(p[i] < 0, 0)) {
            MARK(checked_3);
            stop();
        }
        work(p[i]);
        MARK(checked_4);
    }
}

void fill(double *x, const double *y, int n, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        MARK(fill_1);
        for (int i = 0; i < n; i++)
            x[i] = 2 * y[i] + round;
        MARK(fill_2);
    }
}
END

cat >catches.cc <<'END'
#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ":" ::: "memory")
extern int work(int);

extern "C" int catches(int n)
{
    int failed = 0;
    for (int i = 0; i < n; i++) {
        MARK(catches_1);
        try {
            work(i);
        } catch (int) {
            failed++;
        }
        MARK(catches_2);
    }
    MARK(catches_3);
    return failed;
}
END

# loops FUNCTION MARK…: writes the output of loops_text to ./out; sets $count, the number of loops, and $depths, the
# depth at each mark
loops() {
    set -- "$(nm -S "$object" | awk -v name="$1" '$4 == name { print $1, $2 }')" "$@"
    size=0x${1#* }
    low=${1% *}
    shift 2
    for mark in "$@"; do
        nm "$object" | awk -v name="$mark" '$3 == name { print $1 }'
    done >marks
    # shellcheck disable=SC2046
    "$build/tests/x86/loops_text" "$base" "$low" "$(printf '%x' $((0x$low + size)))" $(cat marks) <image >out || exit 1
    depths=$(awk '$1 != "loop" { print NF - 1 }' out | paste -s -d ' ' -)
    count=$(grep -c '^loop' out)
}

# compiled FILE COMPILER OPTION…: makes a program or library, and its image, which begins at address $base
compiled() {
    file=$1
    shift
    "$@" -O2 -nostdlib -Wl,--unresolved-symbols=ignore-all -o object "$file" && objcopy -O binary object image
    ok $? "$* compiles $file" || exit 1
    object=object
    base=$(objdump -h -w object | awk '/ALLOC/ { print $4 }' | sort | head -n 1)
}

# headers N: the headers of the loops around the Nth mark
headers() {
    grep -v '^loop' out | sed -n "$1s/^[0-9a-f]* *//p"
}

check_nests() {
    loops nest nest_0 nest_1 nest_2 nest_3 nest_4 nest_5 nest_6
    is "$count: $depths" '4: 0 1 2 3 2 2 0' 'a for in a for in a for, with another for beside the inner ones'
    is "$(headers 4 | cut -d ' ' -f 1-2)" "$(headers 3)" '  the innermost loop is in the middle one'
    is "$(headers 3 | cut -d ' ' -f 1)" "$(headers 2)" '  the middle one is in the outer one'
    [ "$(headers 6)" != "$(headers 3)" ]
    ok $? '  neighbours have different headers'
    loops scan scan_1 scan_2 scan_3
    is "$count: $depths" '1: 1 1 0' 'a loop with continue and break'
    loops bottom bottom_1 bottom_2 bottom_3
    is "$count: $depths" '2: 1 2 0' 'a while in a do'
    loops cases cases_1 cases_2 cases_3 cases_4 cases_5 cases_6 cases_7 cases_8 cases_10
    is "$count: $depths" '2: 1 1 1 1 2 1 1 1 1' 'a switch in a for, with a for in a case'
    loops twice twice_1 twice_2 twice_3 twice_4 twice_5 twice_6 twice_7 twice_8 twice_9 twice_10 twice_11 twice_12 twice_13
    is "$count: $depths" '2: 1 1 1 1 1 1 2 2 2 2 2 2 0' 'a switch in a for, and a while with another switch'
    is "$(headers 12)" "$(headers 7)" '  the inner cases have the header of their while'
    loops computed computed_1 computed_2 computed_3
    is "$count: $depths" '1: 0 1 0' 'a computed goto and a loop'
    loops twoway twoway_1 twoway_2
    is "$count: $depths" '0: 0 0' 'a goto into a cycle: there is no natural loop'
    loops checked checked_1 checked_2 checked_4
    is "$count: $depths" '1: 1 1 1' 'a loop with calls that do not return, and cold parts'
    loops fill fill_1 fill_2
    is "$depths" '1 1' 'a vectorized loop in a loop'
    [ "$count" -ge 2 ] && [ "$(awk '$1 == "loop" && $3 == 1' out | wc -l)" -eq 1 ]
    ok $? '  there are one outer loop and inner ones'
}

# Without this option gcc copies a loop's test to where the code jumps to it, which makes loops with two entries.
simple=-freorder-blocks-algorithm=simple
compiled nests.c "${CC:-gcc}" $simple -fcf-protection=full -fPIC -shared
check_nests
compiled nests.c "${CC:-gcc}" $simple -fno-pie -no-pie -static -Wl,-e,nest
check_nests

if command -v "${CXX:-g++}" >/dev/null; then
    compiled catches.cc "${CXX:-g++}" -fPIC -shared
    loops catches catches_1 catches_2 catches_3
    is "$count: $depths" '1: 1 1 0' 'a catch in a loop (C++)'
else
    skip 'there is no C++ compiler here'
fi
done_testing

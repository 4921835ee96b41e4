#!/bin/sh
# The names, files and lines that assay resolve finds for single addresses in files of several compilers and linkers:
# they are those of the sources, of addr2line -i and of objdump.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the programs are for x86-64'
needs tests/symbols/places
scratch
cc=${CC:-gcc}

# at FILE ADDRESS...: what assay resolve finds for them
at() {
    file=$1
    shift
    "$build/tests/symbols/places" "./$file" "$(readelf -nW "$file" | sed -n 's/.*Build ID: //p')" "$@"
}

# symbol FILE NAME: its address
symbol() {
    nm "$1" | sed -n "s/^0*\([0-9a-f]*\) . $2\$/\1/p"
}

# line FILE TEXT: the number of the line with the text
line() {
    grep -n -- "$2" "$1" | cut -d : -f 1
}

# Functions in assembly: one is declared as a function, the other is only a label, with code from another file.
cat >own.S <<'XX'
	.text
	.globl own
	.type own,@function
own:	nop
	.globl stores
stores:	movl $1,cell(%rip)
	ret
	.size own,.-own
	.globl label
label:	nop
#include "body.inc"
	ret
	.bss
cell:	.long 0
	.section .note.GNU-stack,"",@progbits
XX
# shellcheck disable=SC2016 # an assembler's $
printf '\n\n\t.globl included\nincluded:\tmovl $2,cell(%%rip)\n' >body.inc
cat >main.c <<'XX'
#include <stdio.h>
int own(void), label(void);
__attribute__((noinline)) int after(int i) { return i + 1; }
int main(int argc, char **argv)
{
    (void)argv;
    return own() + label() + puts("main") + after(argc);
}
XX
# assembled FILE WHAT: three tests
assembled() {
    is "$(at "$1" "$(symbol "$1" stores)" | cut -f 2)" "own||own.S|$(line own.S ^stores)" \
        "$2: a function has its file and line"
    is "$(at "$1" "$(symbol "$1" label)" | cut -f 2)" "label||own.S|$(line own.S ^label)" \
        '  and so has the code after a label'
    is "$(at "$1" "$(symbol "$1" included)" | cut -d '|' -f 3-)" "body.inc|$(line body.inc ^included)" \
        '  and the code that is included there'
}
"$cc" -O2 -g own.S main.c -o assembled
assembled assembled 'an assembler (gcc)'
if command -v clang >/dev/null; then
    clang -g -c own.S -o own.o
    "$cc" -O2 -g own.o main.c -o other
    assembled other 'another assembler (clang)'
else
    for _ in 1 2 3; do skip 'there is no clang here'; done
fi

# main, in a section of its own, comes before _start, and `after` comes after it. _start is from an object file without
# lines. The last line of main has no instruction.
cat >alone.c <<'XX'
__attribute__((noinline)) int after(int i) { return i + 1; }
int main(int argc, char **argv)
{
    (void)argv;
    __asm__ volatile("call abort" : : "r"(after(argc)));
    __asm__ volatile("");
    __builtin_unreachable();
}
XX
"$cc" -O2 -g alone.c -o alone
start=$(symbol alone _start)
between "$((0x$(symbol alone main)))" "$((0x$start))" "$((0x$(symbol alone after)))" \
    '_start lies between two functions of a unit'
is "$(at alone "$start")" "$(printf '%s\t_start||alone|0' "$start")" '  and has no line'

# Every instruction of a program has the files and lines of addr2line -i.
cat >code.cpp <<'XX'
#include "code.h"
static int table[100];
template <class F> static int each(F f)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += f(table[i]);
    return sum;
}
struct value {
    int v;
    value(int i) : v(i * opaque(i)) {}
};
static value made(opaque(3));
int main(int argc, char **)
{
    auto twice = [](auto x) { return x + x * opaque(x); };
    auto kept = [&](auto x) __attribute__((noinline)) { return opaque(argc) + opaque(x); };
    return each(twice) + each(kept) + shared(made.v) + other(argc);
}
XX
cat >code.h <<'XX'
int opaque(int);
int other(int);
static inline int shared(int i)
{
    return opaque(i) + opaque(i + 1);
}
XX
cat >other.cpp <<'XX'
#include "code.h"
__attribute__((noinline)) int opaque(int i)
{
    asm volatile("" : "+r"(i));
    return i;
}
__attribute__((noinline)) int other(int i)
{
    return shared(i) * shared(2 * i);
}
XX
# chains FILE <ADDRESSES: "ADDRESS FILE:LINE<FILE:LINE…" by addr2line; `-` where there is no line
chains() {
    addr2line -a -i -e "$1" | awk '/^0x/ { if (a) print a " " c; a = substr($0, 3); sub(/^0+/, "", a); c = ""; next }
        { sub(/ \(discriminator [0-9]+\)$/, ""); sub(/.*\//, ""); sub(/.*:[0?]$/, "-"); c = c (c == "" ? "" : "<") $0 }
        END { if (a) print a " " c }'
}
# compared FILE WHAT: one test
compared() {
    objdump -d -j .text "$1" | grep -Ev 'nop|xchg +%ax,%ax' | sed -n 's/^ *\([0-9a-f]*\):\t[^\t]*\t.*/\1/p' >addresses
    chains "$1" <addresses >expected
    # shellcheck disable=SC2046 # words
    at "$1" $(cat addresses) | awk -F '\t' '{ c = ""
        for (i = 2; i <= NF; i++) {
            n = split($i, f, "|")
            c = c (c == "" ? "" : "<") (n < 4 || f[n] == 0 ? "-" : f[n - 1] ":" f[n])
        }
        print $1 " " c }' >got
    cmp -s expected got && [ "$(grep -c : got)" -gt 50 ]
    ok $? "$2" || diff expected got | head | sed 's/^/# /'
}
for options in -O0 -O2 -O3; do
    # shellcheck disable=SC2086 # words
    rm -f code
    "${CXX:-g++}" -gdwarf-4 $options code.cpp other.cpp -o code
    compared code "every instruction of a program has the lines of addr2line (g++ $options)"
done
# clang gives the addresses of code only in the units.
for options in -O0 -O2 -O3; do
    if command -v clang++ >/dev/null; then
        rm -f code
        clang++ -gdwarf-4 $options code.cpp other.cpp -o code
        compared code "every instruction of a program has the lines of addr2line (clang++ $options)"
    else
        skip 'there is no clang here'
    fi
done
# Stubs: each of their instructions has the name that objdump makes up.
cat >library.cpp <<'XX'
namespace lib
{
void call(int) {}
void by_address() {}
}
extern "C" void plain() {}
XX
cat >stubs.cpp <<'XX'
namespace lib
{
void call(int);
void by_address();
}
extern "C" {
void plain();
static int one() { return 1; }
static int (*choose())() { return one; }
__attribute__((ifunc("choose"), visibility("hidden"))) int chosen();
}
void (*volatile pointer)() = lib::by_address;
int main()
{
    lib::call(1);
    lib::by_address();
    (*pointer)();
    plain();
    return chosen();
}
XX
# stubs FILE: ADDRESS NAME of each instruction, by objdump
stubs() {
    objdump -d -j .plt -j .plt.sec -j .plt.got "$1" 2>/dev/null | awk '/^[0-9a-f]+ </ { name = "" }
        match($0, /<.*@plt>:$/) { name = substr($0, RSTART + 1, RLENGTH - 3) }
        match($0, /^ *[0-9a-f]+:\t/) && name != "" { a = $1; sub(/:/, "", a); print a " " name }'
}
# named FILE: three tests
named() {
    stubs "$1" | grep -v 'ABS' | sed 's/_ZN3lib4callEi/lib::call/; s/_ZN3lib10by_addressEv/lib::by_address/' >expected
    # shellcheck disable=SC2046 # words
    at "$1" $(cut -d ' ' -f 1 expected) | sed 's/\t/ /; s/|.*//' >got
    cmp -s expected got && [ "$(cut -d ' ' -f 2 got | grep -cx 'lib::call@plt\|lib::by_address@plt\|plain@plt')" -ge 3 ]
    ok $? '  have the names of the functions that they call' || diff expected got | sed 's/^/# /'
    chosen=$(stubs "$1" | sed -n 's/ \*ABS\*.*//p' | head -1)
    is "$(at "$1" "${chosen:-$(section "$1" .iplt)}" | cut -f 2)" "chosen@plt||$1|0" \
        '  also of one that is chosen at run time'
    is "$(at "$1" "$(section "$1" .plt)" | cut -f 2)" - '  and the code that all of them share has none'
}
# section FILE NAME: its address
section() {
    readelf -SW "$1" | sed -n "s/.* $2  *PROGBITS  *0*\([0-9a-f]*\) .*/\1/p"
}
# linked WHAT OPTION...: four tests
linked() {
    what=$1
    shift
    "${CXX:-g++}" "$@" -O1 stubs.cpp -L. -lown -o stubs 2>log
    ok $? "$what are linked" || sed 's/^/# /' log
    named stubs
}
"${CXX:-g++}" -shared -fPIC library.cpp -o libown.so
linked 'stubs that are bound when called' -Wl,-z,lazy
linked 'stubs that are bound at the start' -Wl,-z,now
linked 'stubs of two parts' -fcf-protection -Wl,-z,lazy,-z,ibtplt
# objdump has no name for the part of a stub that asks for the binding, but the part names the relocation.
objdump -d -j .plt stubs | awk '/push +\$/ { sub(/:/, "", at); print at " " $NF } { at = $1 }' >pushes
while read -r address index; do
    readelf -rW stubs | awk -v n="$((${index#$}))" '/JUMP_SLOT/ && i++ == n { sub(/@.*/, "", $5); print $5 }'
    at stubs "$address" >>got.pushes
done <pushes | sed 's/_ZN3lib4callEi/lib::call/; s/_ZN3lib10by_addressEv/lib::by_address/; s/$/@plt/' >expected
is "$(wc -l <expected) $(cut -f 2 got.pushes | grep -v chosen | sed 's/|.*//')" "3 $(cat expected)" \
    '  and the part that asks for the binding has the name, too'
linked 'stubs of two parts that are bound at the start' -fcf-protection -Wl,-z,now,-z,ibtplt
linked 'stubs of a program at a fixed address' -no-pie -Wl,-z,lazy
if command -v ld.lld >/dev/null; then
    linked 'stubs of another linker (lld)' -fuse-ld=lld -Wl,-z,lazy
else
    for _ in 1 2 3 4; do skip 'there is no lld here'; done
fi
# A library calls its own function, which is chosen at run time, by an alias that only it has.
cat >versioned.c <<'XX'
static int one(void) { return 1; }
static int (*choose(void))(void) { return one; }
__attribute__((ifunc("choose"))) int __chosen(void);
__attribute__((ifunc("choose"))) int new_chosen(void);
__asm__(".symver new_chosen,chosen@@V1.0");
__attribute__((ifunc("choose"), visibility("hidden"))) int inner_chosen(void);
int caller(void) { return inner_chosen() + 1; }
XX
echo 'V1.0 { global: chosen; __chosen; caller; };' >versions
"$cc" -shared -fPIC -O1 -Wl,--version-script=versions versioned.c -o versioned
is "$(at versioned "$(stubs versioned | sed -n 's/ \*ABS\*.*//p' | head -1)" | cut -f 2)" 'chosen@plt||versioned|0' \
    'a function that is chosen at run time has its public name, without a version'
"${CXX:-g++}" -s -O1 stubs.cpp -L. -lown -o stripped
is "$(at stripped "$(stubs stripped | sed -n 's/ plain@plt//p' | head -1)" | cut -f 2)" 'plain@plt||stripped|0' \
    'stubs of a stripped program have names, too'
done_testing

#!/bin/sh
# Mode memory: victims whose accesses are all derived on paper, with their values; the same counts as mode waste and the
# same sequence as lackey; faults in the middle of a block.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the victims are made of x86-64 instructions'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
assay=$root/assay
scratch

# alone NAME <ASSEMBLY: a program without libraries
alone() {
    cat >"$1.s"
    gcc -nostdlib -static -no-pie -Wa,--noexecstack -o "$1" "$1.s" || exit 1
    nm "$1" >"$1.symbols"
}

# record TRACE COMMAND...: records it in mode memory
record() {
    trace=$1
    shift
    "$assay" record -q --engine exact --mode memory --overwrite -o "$trace" -- "$@" >out 2>err
}

# accesses NAME TRACE: `instructions access bytes place`, one line per access; a place is SYMBOL+OFFSET, or sp+OFFSET
# from the stack pointer before the first push
accesses() {
    "$assay" dump --kind access "$2" | awk -F '[, ]' -v symbols="$1.symbols" '
        function number(hex,   i, n) {
            for (i = 1; i <= length(hex); i++)
                n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n
        }
        function place(address,   i) {
            if (address > 4294967296) {
                base = base ? base : address + 8
                return sprintf("sp%+d", address - base)
            }
            for (i = count; i > 0 && value[i] > address; i--)
                ;
            return sprintf("%s+%d", name[i], address - value[i])
        }
        BEGIN {
            while ((getline line < symbols) > 0)
                if (split(line, part, " ") == 3 && part[2] ~ /[dDbB]/ && part[3] !~ /^_/)
                    lines[number(part[1]) * 1] = part[3]
            for (at in lines)
                value[++count] = at + 0
            for (i = 2; i <= count; i++)
                for (j = i; j > 1 && value[j] < value[j - 1]; j--) {
                    t = value[j]; value[j] = value[j - 1]; value[j - 1] = t
                }
            for (i = 1; i <= count; i++)
                name[i] = lines[value[i]]
        }
        NR > 1 { print $3, $(NF - 1), $NF, place($4) }'
}

# tables TRACE KIND...: the records of each kind, in KIND.csv
tables() {
    trace=$1
    shift
    for kind in "$@"; do
        "$assay" dump --kind "$kind" "$trace" >"$kind.csv"
    done
}

# exact TRACE KEY: a value of the metadata's "exact"
exact() {
    "$assay" info --format json "$1" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["metadata"]["exact"][sys.argv[1]])' "$2"
}

# ---------------------------------------------------------------- a sequence that is derived on paper

alone paper <<'END_OF_VICTIM'
        .data
        .balign 64
array:  .quad 1, 2, 3, 4
word:   .quad 5
source: .ascii "abc"
        .bss
        .balign 64
target: .skip 64
        .text
        .globl _start
        .type _start, @function
_start: lea array(%rip), %rsi
        mov $4, %ecx
        xor %eax, %eax
1:      add (%rsi), %rax
        add $8, %rsi
        dec %ecx
        jnz 1b
        push %rax
        call inner
        pop %rax
        lea source(%rip), %rsi
        lea target(%rip), %rdi
        mov $3, %ecx
        rep movsb
        rep movsb
        mov $1, %eax
        lock xadd %rax, word(%rip)
        mov $99, %eax
        lock cmpxchg %rcx, word(%rip)
        mov $7, %eax
        lock cmpxchg %rcx, word(%rip)
        xor %edx, %edx
        cmovne array(%rip), %rdx
        movups array(%rip), %xmm0
        movups %xmm0, target+16(%rip)
        push array+8(%rip)
        pop target+32(%rip)
        movl array+4(%rip), %edx
        movb %dl, target+48(%rip)
        lea source(%rip), %rdi
        mov $3, %ecx
        mov $'b', %al
        repne scasb
        mov $60, %eax
        xor %edi, %edi
        syscall
        .size _start, . - _start
        .type inner, @function
inner:  addq $1, word(%rip)
        ret
        .size inner, . - inner
END_OF_VICTIM
cat >expected <<'END_OF_ACCESSES'
4 load 8 array+0
8 load 8 array+8
12 load 8 array+16
16 load 8 array+24
20 store 8 sp-8
21 store 8 sp-16
22 load 8 word+0
22 store 8 word+0
23 load 8 sp-16
24 load 8 sp-8
28 load 1 source+0
28 store 1 target+0
28 load 1 source+1
28 store 1 target+1
28 load 1 source+2
28 store 1 target+2
31 load 8 word+0
31 store 8 word+0
33 load 8 word+0
35 load 8 word+0
35 store 8 word+0
37 load 8 array+0
38 load 16 array+0
39 store 16 target+16
40 load 8 array+8
40 store 8 sp-8
41 load 8 sp-8
41 store 8 target+32
42 load 4 array+4
43 store 1 target+48
47 load 1 source+0
47 load 1 source+1
END_OF_ACCESSES
record paper.trace ./paper
is "$? $(cat out err)" '0 ' 'a victim is recorded without a message'
accesses paper paper.trace >got
is "$(diff expected got)" '' '  every access is there, in order, at its instruction'
is "$(exact paper.trace instructions) $(exact paper.trace accesses)" '50 32' \
    '  the metadata have the numbers of instructions and accesses'
is "$("$assay" dump --kind access paper.trace | sed -n 2p)" "0,1,4,$((0x$(awk '$3 == "array" { print $1 }' paper.symbols))),0,0,0,0,1,$("$assay" dump --kind site paper.trace | awk -F , '$2 == 1 { print $3 }'),load,8" \
    '  assay dump prints all columns of an access'
is "$(ls -A)" "$(printf '%s\n' err expected got out paper paper.s paper.symbols paper.trace)" '  no other file is left'

# ---------------------------------------------------------------- iterations of loops

# iterations TRACE: `accesses loop count`, one line per row
iterations() {
    "$assay" dump --kind iteration "$1" | awk -F, 'NR > 1 { print $2, $3, $4 }'
}
is "$(iterations paper.trace | xargs)" '0 1 1 1 1 1 2 1 1 3 1 1' 'a loop of four loads has an iteration before each'
"$assay" dump --kind site paper.trace >site.csv
is "$("$assay" dump --kind access paper.trace |
    awk -F, 'NR == FNR { loop[$2] = $NF; next } FNR > 1 { printf "%s", loop[$2] }' site.csv -)" \
    11110000000000000000000000000000 '  and is the loop of these four alone'

# An outer loop with a load, and an inner one with two loads of a function that it calls, which follows a pass without any.
alone nest <<'END_OF_VICTIM'
        .data
word:   .quad 5
        .text
        .globl _start
        .type _start, @function
_start: mov $3, %ebx
1:      mov word(%rip), %rax
        mov $2, %ecx
2:      call inner
        dec %ecx
        jnz 2b
        mov $1000, %ecx
3:      dec %ecx
        jnz 3b
        dec %ebx
        jnz 1b
        mov word(%rip), %rax
        mov $60, %eax
        xor %edi, %edi
        syscall
        .size _start, . - _start
        .type inner, @function
inner:  mov word(%rip), %rax
        ret
        .size inner, . - inner
END_OF_VICTIM
record nest.trace ./nest
is "$? $(cat out err)" '0 ' 'a victim with three loops is recorded without a message'
is "$(iterations nest.trace)" "$(printf '%s\n' '0 1 1' '1 2 1' '4 2 1' '7 3 1000' '7 1 1' '8 2 1' '11 2 1' '14 3 1000' \
    '14 1 1' '15 2 1' '18 2 1' '21 3 1000')" '  each iteration is there, those without accesses in one row'
is "$("$assay" dump --kind loop nest.trace | awk -F, 'NR > 1 { print $2, $4, $5 }' | xargs)" '1 1 0 2 1 1 3 1 1' \
    '  two of the loops are in the first one'
"$assay" dump --kind site nest.trace >site.csv
is "$("$assay" dump --kind access nest.trace |
    awk -F, 'NR == FNR { loop[$2] = $NF; next } FNR > 1 { printf "%s", loop[$2] }' site.csv -)" \
    1222222122222212222220 '  accesses of the function are in the loop around its call'
tables nest.trace module frame context loop
is "$(awk -F, 'FNR == 1 { file++; next }
    file == 1 { known[$2] = 1 }
    file == 2 { of_frame[$2] = $6 in known }
    file == 3 { of_context[$2] = of_frame[$4] }
    file == 4 { n += of_context[$3] }
    END { print n }' module.csv frame.csv context.csv loop.csv)" 3 '  the headers of all loops are in the program'

# The header repeats: the loop iterates where it is done.
alone repeats <<'END_OF_VICTIM'
        .data
target: .fill 10, 8, 1
        .text
        .globl _start
        .type _start, @function
_start: mov $3, %ebx
        mov $10, %ecx
        lea target(%rip), %rdi
1:      rep stosq
        mov $10, %ecx
        lea target(%rip), %rdi
        dec %ebx
        jnz 1b
        mov $60, %eax
        xor %edi, %edi
        syscall
        .size _start, . - _start
END_OF_VICTIM
record repeats.trace ./repeats
is "$(iterations repeats.trace | xargs)" '10 1 1 20 1 1 30 1 1' 'a loop that begins with a rep instruction has an iteration for each'

# Every second iteration faults at its second load, and its handler gives it another address. The core unrolls the loop.
alone again <<'END_OF_VICTIM'
        .data
        .balign 64
array:  .quad 1
places: .quad array, 0, array, 0, array, 0, array, 0
action: .quad handler, 0x04000004, restorer, 0
        .text
        .globl _start
        .type _start, @function
_start: mov $13, %eax
        mov $11, %edi
        lea action(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        mov $8, %ecx
        lea places(%rip), %rsi
1:      inc %edx
        mov (%rsi), %rax
        mov (%rax), %rbx
        add $8, %rsi
        dec %ecx
        jnz 1b
        mov $60, %eax
        xor %edi, %edi
        syscall
        .size _start, . - _start
handler:
        lea array(%rip), %rax
        mov %rax, 144(%rdx)
        ret
restorer:
        mov $15, %eax
        syscall
END_OF_VICTIM
record again.trace ./again
is "$? $(cat out err)" '0 ' 'a loop with faults is recorded'
is "$(iterations again.trace | xargs)" '0 1 1 2 1 1 6 1 1 8 1 1 12 1 1 14 1 1 18 1 1 20 1 1' \
    '  each iteration is there once, before its accesses and those of the handler'
is "$(exact again.trace instructions)" $((8 + 8 * 6 + 4 * 5 + 3)) '  the number of instructions is right'

# A stripped program has the same loops, from its unwind table: how often each was executed, by the places of its headers.
cat >loops.c <<'END_OF_VICTIM'
#include <stdio.h>
#include <stdlib.h>

static int numbers[200];

__attribute__((noinline)) static void sort(int *first, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && first[j - 1] > first[j]; j--) {
            int t = first[j];
            first[j] = first[j - 1];
            first[j - 1] = t;
        }
}

__attribute__((noinline)) static int kinds(const int *first, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        switch (first[i] % 7) {
        case 0: sum += 3; break;
        case 1: sum ^= i; break;
        case 2: sum = sum * 5 + 1; break;
        case 3: sum -= first[i]; break;
        case 4: sum |= 64; break;
        default: do sum /= 2; while (sum > 100);
        }
    return sum;
}

int main(void)
{
    for (int i = 0; i < 200; i++)
        numbers[i] = i * 7919 % 1009;
    sort(numbers, 200);
    return kinds(numbers, 200) == 12345;
}
END_OF_VICTIM
gcc -O1 -o named loops.c && strip -o stripped named || exit 1
# headers NAME: `position count` of the program's own loops
headers() {
    record "$1.trace" "./$1"
    tables "$1.trace" module frame context loop iteration
    awk -F, -v name="/$1$" '
        FNR == 1 { file++; next }
        file == 1 && $3 ~ name { module = $2 }
        file == 2 && $6 == module { position[$2] = $5 }
        file == 3 { frame[$2] = $4 }
        file == 4 { header[$2] = position[frame[$3]] }
        file == 5 && header[$3] { count[header[$3]] += $4 }
        END { for (at in count) print at, count[at] }' module.csv frame.csv context.csv loop.csv iteration.csv | sort -n
}
headers named >expected
is "$(headers stripped)" "$(cat expected)" 'a stripped program has the iterations of the one with symbols'
[ "$(wc -l <expected)" -ge 5 ]
ok $? '  in at least five loops' || sed 's/^/# /' expected
rm -f nest* repeats* again* named* stripped* loops.c ./*.csv

# ---------------------------------------------------------------- values

"$assay" record -q --mode memory --values --overwrite -o values.trace -- ./paper >out 2>err
is "$? $(cat out err)" '0 ' '--values: status 0'
accesses paper values.trace >again
is "$(diff got again)" '' '  the accesses are the same'
is "$("$assay" dump --kind access values.trace | awk -F , 'NR > 1 { print $5, $6, $7, $8 }' |
    sed -e '6s/^[1-9][0-9]* /return /' -e '9s/^[1-9][0-9]* /return /')" '1 0 0 0
2 0 0 0
3 0 0 0
4 0 0 0
10 0 0 0
return 0 0 0
5 0 0 0
6 0 0 0
return 0 0 0
10 0 0 0
97 0 0 0
97 0 0 0
98 0 0 0
98 0 0 0
99 0 0 0
99 0 0 0
6 0 0 0
7 0 0 0
7 0 0 0
7 0 0 0
0 0 0 0
1 0 0 0
1 2 0 0
1 2 0 0
2 0 0 0
2 0 0 0
2 0 0 0
2 0 0 0
0 0 0 0
0 0 0 0
97 0 0 0
98 0 0 0' '  each has the value that it loaded or stored'

# ---------------------------------------------------------------- compared with other tools

# total TRACE, sum TRACE: "LOADS BYTES STORES BYTES", of a trace of mode waste and of its accesses in mode memory
total() {
    "$assay" dump --kind total "$1" | awk -F , 'NR > 1 { e[$3] += $5; b[$3] += $6 } END { print e["load"], b["load"], e["store"], b["store"] }'
}
sum() {
    "$assay" dump --kind access "$1" |
        awk -F , 'NR > 1 { e[$(NF - 1)]++; b[$(NF - 1)] += $NF } END { print e["load"] + 0, b["load"] + 0, e["store"] + 0, b["store"] + 0 }'
}
"$assay" record -q --mode waste --overwrite -o waste.trace -- ./paper
is "$(sum paper.trace)" "$(total waste.trace)" 'number and size of all accesses are those of mode waste'

# lackey reports a load and a store of one instruction at one place as a modification, also for a compare-and-swap that
# fails, of which this victim has none. It counts each iteration of a rep instruction as an instruction.
cat >work.c <<'END_OF_VICTIM'
typedef unsigned long word;
static word table[512], copies[512];
static unsigned char bytes[3000];
struct tree { struct tree *left, *right; word key; } nodes[600];
static unsigned used;

static word next(word *state) { return *state = *state * 6364136223846793005ul + 1442695040888963407ul; }

__attribute__((noinline)) static struct tree *insert(struct tree *tree, word key)
{
    if (!tree) {
        nodes[used].key = key;
        return &nodes[used++];
    }
    if (key < tree->key)
        tree->left = insert(tree->left, key);
    else
        tree->right = insert(tree->right, key);
    return tree;
}

__attribute__((noinline)) static void sort(word *first, long n)
{
    for (long i = 1; i < n; i++) {
        word one = first[i];
        long j = i;
        for (; j > 0 && first[j - 1] > one; j--)
            first[j] = first[j - 1];
        first[j] = one;
    }
}

__attribute__((noinline)) static double mean(const word *first, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += (double)(first[i] >> 12);
    return sum / (double)n;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
    word state = 42;
    struct tree *root = 0;
    for (int i = 0; i < 512; i++)
        table[i] = next(&state);
    for (int i = 0; i < 600; i++)
        root = insert(root, next(&state) >> 33);
    for (int i = 0; i < 3000; i++)
        bytes[i] = (unsigned char)(next(&state) >> 60);
    for (int i = 0; i < 512; i++)
        copies[i] = table[i] + bytes[i * 5] + nodes[i].key;
    sort(copies, 512);
    volatile double result = mean(copies, 512);
    __asm__ volatile("syscall" : : "a"(60), "D"(result < 0) : "rcx", "r11", "memory");
    __builtin_unreachable();
}
END_OF_VICTIM
gcc -O2 -fno-builtin -ffreestanding -fno-stack-protector -fcf-protection=none -nostdlib -static -no-pie -o work work.c || exit 1
record work.trace ./work
is "$?" 0 'a compiled victim is recorded'
"$assay" record -q --mode waste --overwrite -o waste.trace -- ./work
is "$(sum work.trace)" "$(total waste.trace)" 'number and size of all accesses are those of mode waste'

# Accesses that touch several words, whose bytes follow several others or none.
cat >unaligned.c <<'END_OF_VICTIM'
static char bytes[400];
#define ACCESS(name, instructions)                                                                  \
    __attribute__((noinline)) static void name(char *at)                                            \
    {                                                                                               \
        __asm__ volatile(instructions : : "r"(at) : "rax", "xmm0", "memory");                       \
    }
ACCESS(load_2, "movw (%0), %%ax")
ACCESS(load_4, "movl (%0), %%eax")
ACCESS(load_8, "movq (%0), %%rax")
ACCESS(load_16, "movdqu (%0), %%xmm0")
ACCESS(load_floats, "movups (%0), %%xmm0; addps %%xmm0, %%xmm0")
ACCESS(load_double, "addsd (%0), %%xmm0")
ACCESS(store_2, "movw %%ax, (%0)")
ACCESS(store_4, "movl %%eax, (%0)")
ACCESS(store_8, "movq %%rax, (%0)")
ACCESS(store_16, "movdqu %%xmm0, (%0)")
ACCESS(store_floats, "addps %%xmm0, %%xmm0; movups %%xmm0, (%0)")

__attribute__((force_align_arg_pointer)) void _start(void)
{
    static void (*const all[])(char *) = {load_2,  load_4,  load_8,  load_16,  load_floats, load_double,
                                          store_2, store_4, store_8, store_16, store_floats};
    for (int i = 0; i < 6000; i++)
        all[i * 7 % 11](bytes + i * 29 % 383);
    __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
    __builtin_unreachable();
}
END_OF_VICTIM
gcc -O2 -fno-builtin -ffreestanding -fno-stack-protector -fcf-protection=none -nostdlib -static -no-pie -o unaligned unaligned.c || exit 1
record unaligned.trace ./unaligned
"$assay" record -q --mode waste --overwrite -o waste.trace -- ./unaligned
is "$(sum unaligned.trace)" "$(total waste.trace)" 'number and size of unaligned accesses are those of mode waste'
valgrind -q --tool=lackey --trace-mem=yes --log-file=lackey ./work
# stack addresses relative to the first one
relative='function relative(a) { if (a < 4294967296) return a; base = base ? base : a; return "sp" a - base }'
awk -F '[ ,]+' "$relative"'
    function number(hex,   i, n) {
        for (i = 1; i <= length(hex); i++)
            n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
        return n
    }
    /^ [LSM] / { print $2 == "S" ? "store" : "load", $4, relative(number($3)) }
    /^ M / { print "store", $4, relative(number($3)) }' lackey >expected
"$assay" dump --kind access work.trace | awk -F , "$relative"' NR > 1 { print $(NF - 1), $NF, relative($4) }' >got
is "$(diff expected got | head -n 5)" '' "the sequence of addresses is lackey's"
[ "$(wc -l <got)" -gt 100000 ]
ok $? '  and more than 100,000 long'
is "$(exact work.trace instructions)" "$(grep -c '^I ' lackey)" "  the number of instructions is lackey's"

# ---------------------------------------------------------------- bursts

# fingerprints TRACE: of every access the number of instructions, where it is, but for the stack, whose place differs, and which
fingerprints() {
    "$assay" dump --kind access "$1" | awk -F, 'NR > 1 { print $3, ($4 > 4294967296 ? "stack" : $4), $(NF - 1), $NF }'
}
fingerprints work.trace >all
gap() { # TRACE: how many gaps it has, and of how many instructions
    "$assay" dump --kind iteration "$1" | awk -F, 'NR > 1 && $3 == 0 { n++; sum += $4 } END { print n + 0, sum + 0 }'
}
for bursts in 20000:30000 1000:100000 300000:20000; do
    "$assay" record -q --engine exact --mode memory --burst $bursts --overwrite -o burst.trace -- ./work >out 2>err
    is "$? $(cat out err)" '0 ' "--burst $bursts: status 0"
    is "$(exact burst.trace instructions)" "$(exact work.trace instructions)" '  the instructions of gaps are counted, too'
    fingerprints burst.trace >some
    is "$(awk 'NR == FNR { known[$0]++; next } !known[$0]-- { n++ } END { print n + 0 }' all some)" 0 \
        '  each access is one of the whole recording, at its instruction'
    gap burst.trace | awk -v all="$(exact work.trace instructions)" -v some="$(wc -l <some)" -v accesses="$(wc -l <all)" '
        { share = 1 - $2 / all; exit !($1 > 1 && share > 0.001 && some / accesses > share / 3 && some / accesses < share * 3) }'
    ok $? '  and the share of the accesses is about that of the instructions outside of gaps' || gap burst.trace | sed 's/^/# /'
done
# Signals, in bursts and in gaps, within a block and between two.
cat >signals.c <<'END_OF_VICTIM'
#include <signal.h>
#include <unistd.h>
static volatile int taken;
static int word = 7, *volatile place;
static void fix(int number, siginfo_t *info, void *context)
{
    (void)info;
    taken++;
    if (number == SIGSEGV) /* rax */
        ((ucontext_t *)context)->uc_mcontext.gregs[13] = (long)&word;
}
int main(void)
{
    struct sigaction action = {.sa_sigaction = fix, .sa_flags = SA_SIGINFO};
    int sum = 0;
    sigaction(SIGSEGV, &action, 0);
    sigaction(SIGUSR1, &action, 0);
    for (int i = 0; i < 3000; i++) {
        int got;
        place = i % 2 ? &word : 0;
        __asm__ volatile("mov %1, %%rax\n nop\n movl (%%rax), %0\n nop" : "=r"(got) : "m"(place) : "rax");
        sum += got;
        if (i % 3 == 0)
            kill(getpid(), SIGUSR1);
    }
    return !(taken == 2500 && sum == 21000);
}
END_OF_VICTIM
gcc -O1 -o signals signals.c || exit 1
record whole.trace ./signals
for bursts in 1000:1000 1000:100000 1000:1G; do
    "$assay" record -q --engine exact --mode memory --burst $bursts --overwrite -o burst.trace -- ./signals >out 2>err
    is "$? $(cat out err) $(exact burst.trace instructions)" "0  $(exact whole.trace instructions)" \
        "--burst $bursts, with signals: the number of instructions"
done
rm -f whole.trace signals signals.c

"$assay" record --engine exact --mode memory --burst auto -o burst.trace -- ./work >out 2>err
is "$? $(head -n 1 err)" '2 assay-record: --burst auto is for modes that compare accesses: give mode memory two lengths (1M:99M)' \
    '--burst auto: status 2, and why'

# ---------------------------------------------------------------- a fault in the middle of a block

alone fault <<'END_OF_VICTIM'
        .data
        .balign 64
array:  .quad 1, 2, 3, 4
action: .quad handler, 0x04000004, restorer, 0
        .text
        .globl _start
_start: mov $13, %eax
        mov $11, %edi
        lea action(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        mov array(%rip), %rax
        xor %ebx, %ebx
        mov (%rbx), %rax
        mov array+8(%rip), %rcx
        mov $13, %eax
        mov $8, %edi
        lea action(%rip), %rsi
        xor %edx, %edx
        syscall
        mov array+16(%rip), %rax
        mov $1, %eax
        nop
        div %rbx
        mov array+24(%rip), %rcx
        mov $60, %eax
        xor %edi, %edi
        syscall
handler:
        addq $3, 168(%rdx)
        ret
restorer:
        mov $15, %eax
        syscall
END_OF_VICTIM
record fault.trace ./fault
is "$? $(cat out err)" '0 ' 'a victim with faults in the middle of a block is recorded'
accesses fault fault.trace | sed 's/sp[-+0-9]*/stack/' >got
is "$(cat got)" '7 load 8 array+0
9 load 8 stack
9 store 8 stack
10 load 8 stack
13 load 8 array+8
19 load 8 array+16
22 load 8 stack
22 store 8 stack
23 load 8 stack
26 load 8 array+24' '  accesses before a fault and those of its handler are there; the fault counts as no instruction'
is "$(exact fault.trace instructions)" 29 '  the number of instructions is right'

# ---------------------------------------------------------------- a fault after an exit that was not taken

# Before a movaps there is an exit for a misaligned address (the second movaps takes it, and faults); before each
# iteration of a rep instruction there is one for a count of 0.
alone exits <<'END_OF_VICTIM'
        .data
        .balign 64
array:  .quad 1, 2, 3, 4
place:  .quad array
count:  .quad 2
action: .quad handler, 0x04000004, restorer, 0
        .text
        .globl _start
_start: mov $13, %eax
        mov $11, %edi
        lea action(%rip), %rsi
        xor %edx, %edx
        mov $8, %r10d
        syscall
        mov place(%rip), %rax
        xor %ebx, %ebx
        movaps (%rax), %xmm0
        movq %xmm0, (%rbx)
        movaps 8(%rax), %xmm0
        mov array+8(%rip), %rcx
        mov count(%rip), %rcx
        lea array(%rip), %rsi
        xor %edi, %edi
        rep movsb
        nop
        nop
        mov array+16(%rip), %rdx
        mov $60, %eax
        xor %edi, %edi
        syscall
handler:
        addq $4, 168(%rdx)
        ret
restorer:
        mov $15, %eax
        syscall
END_OF_VICTIM
cat >expected <<'END_OF_ACCESSES'
7 load 8 place+0
9 load 16 array+0
10 load 8 stack
10 store 8 stack
11 load 8 stack
14 load 8 stack
14 store 8 stack
15 load 8 stack
18 load 8 array+8
19 load 8 count+0
22 load 1 array+0
22 load 8 stack
22 store 8 stack
23 load 8 stack
26 load 8 array+16
END_OF_ACCESSES
for values in '' --values; do
    # shellcheck disable=SC2086
    "$assay" record -q --mode memory $values --overwrite -o exits.trace -- ./exits >out 2>err
    is "$? $(cat out err)" '0 ' "a victim with faults after exits that are not taken is recorded $values"
    accesses exits exits.trace | sed 's/sp[-+0-9]*/stack/' >got
    is "$(diff expected got)" '' '  every access before, between and after them is there'
    is "$(exact exits.trace instructions) $(exact exits.trace damaged)" '29 False' \
        '  the number of instructions is right, and nothing is damaged'
done

# ---------------------------------------------------------------- fetches
# What is executed, on paper: a loop of three iterations that the core may unroll, a rep instruction that stores three
# times and looks at its count once more, one whose count is 0, and a call.
alone fetched <<'END'
    .globl _start, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, f1, f2
    .data
x:  .quad 1
y:  .fill 8, 8, 0
    .text
_start:
i1: mov x(%rip), %rax
i2: mov $3, %ecx
i3: add %rax, y(%rip)
i4: dec %ecx
i5: jnz i3
i6: mov $3, %ecx
i7: lea y(%rip), %rdi
i8: rep stosl
i9: rep stosl
i10: call f1
i11: mov $60, %eax
i12: xor %edi, %edi
i13: syscall
f1: nop
f2: ret
END
# sequence TRACE: the names of the instructions in the order of their fetches, from the tables of code and fetch; and for
# each access that of the instruction that makes it
sequence() {
    tables "$1" code fetch access
    awk -F, '
        FILENAME == "symbols" { split($0, part, " "); if (part[3] ~ /^[if][0-9]+$/) name[part[1]] = part[3]; next }
        FNR == 1 { next }
        FILENAME == "code.csv" {
            code[$2, ++length_of[$2]] = name[sprintf("%016x", $3)]
            number[$2, length_of[$2]] = $5
        }
        FILENAME == "fetch.csv" {
            for (i = 1; i <= $5; i++)
                fetched = fetched " " code[$2, i]
            runs++
            run[runs] = $2; before[runs] = $3; first[runs] = $4
        }
        FILENAME == "access.csv" {
            while (at < runs && first[at + 1] <= count)
                at++
            count++
            for (i = 1; number[run[at], i] != $3 - before[at]; i++)
                ;
            by = by " " code[run[at], i]
        }
        END { print substr(fetched, 2) ":" by }' symbols code.csv fetch.csv access.csv
}
"$assay" record -q --mode memory --fetches --overwrite -o fetched.trace -- ./fetched >out 2>err
is "$? $(cat out err)" '0 ' '--fetches: status 0'
cp fetched.symbols symbols
sequence fetched.trace >got
is "$(sed 's/:.*//' got)" 'i1 i2 i3 i4 i5 i3 i4 i5 i3 i4 i5 i6 i7 i8 i8 i8 i8 i9 i10 f1 f2 i11 i12 i13' \
    '  every fetch is there, those of a rep instruction and its last look too'
is "$(sed 's/.*: //' got)" 'i1 i3 i3 i3 i3 i3 i3 i8 i8 i8 i10 f2' '  and it is known which instruction makes an access'
is "$(exact fetched.trace instructions)" 21 '  instructions are counted as without fetches'
record plain.trace ./fetched
is "$(accesses fetched fetched.trace)" "$(accesses fetched plain.trace)" '  and the accesses are the same'
is "$("$assay" dump --kind fetch plain.trace; "$assay" dump --kind code plain.trace)" \
    "$(printf 'thread,code,instructions,accesses,count\nthread,id,address,bytes,instructions')" 'without --fetches there are none'

# In bursts each gap is a row among the fetches, with its instructions, as it is among the iterations.
"$assay" record -q --mode memory --fetches --burst 20K:40K --overwrite -o gaps.trace -- sh -c : >out 2>err
is $? 0 '--fetches in bursts: status 0'
is "$("$assay" dump --kind fetch gaps.trace | awk -F, 'NR > 1 && $2 == 0 { print $4, $5 }')" \
    "$("$assay" dump --kind iteration gaps.trace | awk -F, 'NR > 1 && $3 == 0 { print $2, $4 }')" '  the gaps are those of the iterations'
[ "$("$assay" dump --kind fetch gaps.trace | awk -F, 'NR > 1 && $2 == 0' | wc -l)" -gt 2 ]
is $? 0 '  there are some'
is "$("$assay" dump --kind fetch gaps.trace | awk -F, '
    NR > 1 { if (NR > 2 && $3 < before) bad++; before = $3 } END { print bad + 0 }')" 0 '  instructions never run backwards'
done_testing

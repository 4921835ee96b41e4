#!/bin/sh
# assay waste --baseline on recordings of engine exact: a program before and after a change whose loads and stores are
# counted on paper.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'engine exact runs x86-64 programs'
scratch
assay=$root/assay

# find(k) loads table[0] to table[k], of 4 bytes each. clear() and fill() each store every byte of the buffer once. All
# else keeps what it needs in registers, or does the same in both versions.
mkdir old new
cat >old/prog.c <<'END'
#include <unistd.h>
enum { COUNT = 1000, SIZE = 4096 };
static volatile int table[COUNT];
static volatile char buffer[SIZE];
__attribute__((noinline)) static int find(int key)
{
    for (int i = 0; i < COUNT; i++)
        if (table[i] == key)
            return i;
    return -1;
}
__attribute__((noinline)) static void clear(void)
{
    for (int i = 0; i < SIZE; i++)
        buffer[i] = 0;
}
__attribute__((noinline)) static void fill(void)
{
    for (int i = 0; i < SIZE; i++)
        buffer[i] = (char)(i | 1);
}
__attribute__((noinline)) static int sum(void)
{
    int all = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < COUNT; i++)
            all += table[i];
    return all;
}
int main(void)
{
    for (int i = 0; i < COUNT; i++)
        table[i] = i;
    int all = sum();
    for (int k = 0; k < 10; k++)
        all += find(COUNT - 1 - k);
    clear();
    fill();
    return all == 0;
}
END
# After: find() knows that table[i] is i, the buffer is not cleared, and two lines more stand above fill() and sum().
awk '/^__attribute__.*fill/ { print "/* Every byte of the buffer\n * is stored once. */" }
    /for \(int i = 0; i < COUNT; i\+\+\)/ && FNR < 10 { next }
    /if \(table\[i\] == key\)/ { print "    if (table[key] == key)"; getline; print "        return key;"; next }
    /^    clear\(\);/ { next }
    /static void clear/ { sub(/noinline/, "noinline, unused") }
    { print }' old/prog.c >new/prog.c
for version in old new; do
    # The paths have one length, since the loader reads them.
    (cd $version && "${CC:-cc}" -O1 -g -fno-tree-vectorize -o prog prog.c) || exit 1
    (cd $version && "$assay" record -q --engine exact --mode waste -o w -- ./prog >out 2>&1)
    is $? 0 "the $version version is recorded"
done
"$assay" waste --baseline old/w --lines 0 --format csv new/w >out 2>err
is $? 0 'both are compared'
# cells LEVEL NAME [QUANTITY]: status, old name, change
cells() {
    python3 -c '
import csv, re, sys
for row in csv.DictReader(open("out")):
    quantity = sys.argv[3] if len(sys.argv) > 3 else row["quantity"]
    if row["level"] == sys.argv[1] and re.fullmatch(sys.argv[2], row["name"]) and row["quantity"] == quantity:
        print(row["status"], row["old_name"] or "-", row["change"])' "$@"
}
line_of() {
    grep -n -- "$2" "$1/prog.c" | head -n 1 | cut -d: -f1
}
# find(999) to find(990) load 1000 + 999 + ... + 991 = 9955 elements; afterwards one each. Calling clear() stores its
# return address, of 8 bytes, which its return loads.
is "$(cells total loads bytes)" "less - -$((4 * (9955 - 10) + 8))" 'loads: 9,945 elements of 4 bytes, and a return address'
is "$(cells total stores bytes)" "less - -$((4096 + 8))" 'stores: 4,096 bytes, and a return address'
# sum() has loaded the table before, so that all loads of find() are silent: 9955 elements, then 10.
is "$(cells line "find:$(line_of new 'table\[key\]')")$(cells line "find:$(line_of old 'table\[i\] == key')")" \
    "new - 40gone - -$((4 * 9955))" 'find: another line loads now'
# fill() overwrites what clear() has stored and nobody loads: all of it is dead. Nobody stores it again.
is "$(cells line "clear:$(line_of old 'buffer\[i\] = 0')")" 'gone - -4096' 'clear: its dead stores are gone'
# sum() loads 1000 elements three times: the first loads have no loads before, the others are silent. It is 1 line
# further down: 2 inserted above, 1 removed in find().
now=$(line_of new 'all += table') before=$(line_of old 'all += table')
is "$now $(cells line "sum:$now")" "$((before + 1)) moved sum:$before 0" 'sum: it wastes as much, on another line'
done_testing

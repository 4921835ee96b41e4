#!/bin/sh
# What users of other tools type at the programs on tables, and what they expect to see.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done

# says MESSAGE WHAT: the last standard error, in err, holds it
says() {
    grep -qF -- "$1" err
    ok $? "$2" || sed 's/^/# /' err
}

# --- the first line: header or data? ---
printf 'A,2.01\nA,2.03\nB,1.9\nB,1.95\n' >bare.csv
ci --by 1 --format csv bare.csv >out 2>err
is "$(cut -d, -f 1,2,3 out | tr '\n' ' ')" '1,n,mean A,2,2.02 B,2,1.925 ' 'a first line whose text the rows repeat is no header'
says 'bare.csv: line 1 is read as data' 'and that is told'
ci --by A --header --format csv bare.csv >out 2>err
is "$? $(cut -d, -f 1,2 out | tr '\n' ' ') $(grep -c 'line 1' err)" '0 A,n A,1 B,2  0' '--header says that it is one, and nothing is told'
printf 'name,10\na,1\na,2\n' >numbers.csv
ci --by name --format csv numbers.csv >out 2>err
is "$(cut -d, -f 1,2 out | tr '\n' ' ')" 'name,n a,2 ' 'a number as the name of a column'
says "numbers.csv: line 1 is read as the header, though '10' in it is a number" 'is warned of'
printf '10,20\n1,2\n' >only.csv
ci --value 1 --no-header --format csv only.csv >out 2>err
is "$(cut -d, -f 1 out | tr '\n' ' ')$(grep -c line err)" 'n 2 0' 'numbers alone are data'
ci --value 10 --header --format csv only.csv >out 2>err
is "$(cut -d, -f 1,2 out | tr '\n' ' ')" 'n,mean 1,1 ' '--header makes names of them'

done_testing

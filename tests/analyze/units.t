#!/bin/sh
# Tables as people write them: units in cells and below the header, wide tables, two header lines, equal names.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
for verb in ci compare; do
    eval "$verb() { \"$build/libexec/assay/assay-$verb\" \"\$@\"; }"
done

# cells COLUMNS: of the CSV in out, rows separated by blanks
cells() {
    cut -d, -f "$1" out | tr '\n' ' '
}
# says MESSAGE WHAT: the last standard error, in err, contains it
says() {
    grep -qF -- "$1" err
    ok $? "$2" || sed 's/^/# /' err
}

# --- units in cells ---
printf 'name,time,size,load\na,1.2 ms,3 KiB,12 %%\na,900us,1 MiB,13%%\nb,0.002 s,2KiB,7 %%\nb,2100 \302\265s,5 KiB,8 %%\n' >u.csv
ci --by name --value time --format csv u.csv >out 2>err
is "$(cells 1,2,3)" 'name,n,mean a,2,1050 b,2,2050 ' 'ms, us, s and µs in one column are converted to us'
ci --by name --value time u.csv >out 2>err
like out '^unit: us$' '  a note gives the unit'
ci --by name --value size --format csv u.csv >out 2>err
is "$(cells 1,3)" 'name,mean a,513.5 b,3.5 ' '1 MiB is 1024 KiB, exactly'
ci --value load --format csv u.csv >out 2>err
is "$(cells 1,2)" 'n,mean 4,10 ' 'percentages are read without the sign'
printf '1.2 ms\n900 us\n1.1 ms\n' | ci --format csv >out 2>err
is "$(cells 1,2 | cut -c 1-16) $(wc -l <err)" 'n,mean 3,1066.66 0' 'lines of quantities without a header'
printf 'who what\na 1.2 ms\na 900 us\nb 3 ms\n' >blanks.txt
ci blanks.txt >out 2>err
is "$?" 1 'a header of two columns above rows of three: status 1'
printf 'who took unit\na 1.2 ms\na 900 us\nb 3 ms\nb 1 ms\n' >blanks.txt
ci --by who --format csv blanks.txt >out 2>err
is "$(cells 1,2,3)" 'who,n,mean a,2,1050 b,2,2000 ' \
    'in columns separated by blanks the unit is the cell after the number'
printf '{"t":"1 ms"}\n{"t":"2 s"}\n' | ci --format csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,1000.5 ' 'units in JSON lines'
printf '[{"t":"1 ms"},{"t":"2 s"}]' | ci --format csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,1000.5 ' 'units in JSON'

# --- nothing is mixed silently ---
printf 'x\n1.2 ms\n3 s\n7\n' | ci >out 2>err
is "$? $(wc -c <out)" '1 0' 'a cell without a unit among others: status 1, no result'
says "line 4, column 'x': '7' is not a number with a unit, as the others are" '  a line names it'
printf 'x,y\n12,1\n13,1\n14 ms,1\n' | ci --value x >out 2>err
says "line 4, column 'x': '14 ms' has a unit, but the first rows have none" \
    'a cell with a unit among others without: a line names it'
printf 'x\n1 s\n13 MB\n' | ci >out 2>err
says "line 3, column 'x': '13 MB' can't be converted to s, as the others are" \
    'bytes among seconds: a line names the cell'
printf 'x\n1 s\n2 s\n' >seconds.csv
printf 'x\n3000 ms\n4000 ms\n' >millis.csv
ci --format csv seconds.csv millis.csv >out 2>err
is "$(cells 1,2)" 'n,mean 4,2500 ' 'a file in ms after one in seconds is converted'
printf 'x\n1\n2\n' >bare.csv
ci bare.csv seconds.csv >out 2>err
says "values of 'x' are in s, those of bare.csv have no unit" \
    'a file with units after one without: a line reports it'
mv bare.csv zbare.csv
ci millis.csv zbare.csv >out 2>err
says "zbare.csv: line 2, column 'x': '1' is not a number with a unit, as the others are" \
    'a file without units after one with units: a line reports it'

# --- wide tables ---
printf 'old,new\n10,12\n11,13\n10.5,\n9.9,12.1\n' >wide.csv
compare --wide old,new --format csv wide.csv >out 2>err
is "$(cells 1,2,3,4)" 'name,baseline,n,n_baseline new,old,3,4 ' \
    '--wide: each column is a group, and the first one is the baseline'
compare --wide old,new wide.csv >out 2>err
like out '^1 cell is blank: columns of --wide may have fewer values than others$' \
    '  a note says that columns may be shorter than others'
printf 'program,old,new\na,10 ms,12 ms\nb,11 ms,0.022 s\n' >programs.csv
compare -q --wide old,new --by program --format tsv programs.csv >out 2>err
is "$(cut -f 1,2,5 out | tr '\t\n' ';|')" 'name;baseline;ratio|a, new;a, old;1.2|b, new;b, old;2|geomean;geomean;1.5491933384829668|' \
    '--wide --by: a column pairs the values, and each row has its own unit'
compare --wide old,new --format tsv programs.csv >out 2>err
is "$(cut -f 1,2,5 out | tr '\t\n' ';|')" 'name;baseline;ratio|a, new;a, old;1.2|b, new;b, old;2|geomean;geomean;1.5491933384829668|' \
    '  without --by the only column of texts does'
printf 'run,old,new\nr1,10,12\nr2,11,13\n' >labels.csv
compare --wide old,new --format csv labels.csv >out 2>err
is "$(cells 1,2,3,4)" 'name,baseline,n,n_baseline new,old,2,2 ' '  unless it only tells runs apart'
cp programs.csv again.csv
compare --wide old,new --format tsv programs.csv again.csv >out 2>err
is "$(cut -f 1 out | paste -s -d ';' -)" 'name;again.csv, a, new;again.csv, b, new;programs.csv, a, new;programs.csv, b, new;geomean' \
    '  in several files, too'
printf '{"o":1,"n":3}\n{"o":2,"n":4.5}\n' | ci --wide o,n --format csv >out 2>err
is "$(cells 1,2,3)" 'column,n,mean o,2,1.5 n,2,3.75 ' '--wide: JSON lines'
printf 'old,new\n10,12\n11,x\n' | ci --wide old,new >out 2>err
says "'x' is not a number" '--wide: an invalid cell is reported'
ci --wide old,new --value old wide.csv >out 2>err
is "$? $(cat err | head -1 | grep -c 'leave --value out')" '2 1' '--wide with --value: status 2'
printf 'a,b\n1 s,2 MB\n2 s,3 MB\n' | ci --wide a,b >out 2>err
says "'b' is in MB, 'a' in s" '--wide: columns of different quantities are refused'

# --- two lines of header ---
printf 'name,time,size\n,ms,[MB]\na,1,2\nb,2,3\n' >below.csv
ci --value time below.csv >out 2>err
is "$(grep -c '^unit: ms$' out)" 1 'units below the names'
printf 'name,time,,size,\n,mean,sd,mean,sd\na,1,2,3,4\nb,2,3,4,5\n' >spread.csv
ci --value 'size mean' --format csv spread.csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,3.5 ' 'names below names that span several columns'
printf 'name,time,time\n,old,new\na,1,2\nb,2,3\n' >twice.csv
ci --value 'time new' --format csv twice.csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,2.5 ' 'names below a name that each column repeats'
printf 'time,size\nabc,3\n1,2\n2,4\n' | ci --value time >out 2>err
says "line 2, column 'time': 'abc' is not a number" 'an invalid cell in line 2 does not make it a header'

# --- equal names ---
printf 'time,x,time\n1,2,3\n2,3,4\n' >equal.csv
ci --value time equal.csv >out 2>err
is $? 1 'a name that two columns have: status 1'
says "several columns are named 'time'; ask for 'time (1)', 'time (2)'" '  a line gives the names that tell them apart'
ci --value 'time (2)' --format csv equal.csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,3.5 ' '  such a name is accepted'

# --- a column of units ---
cat >mixed.json <<'JSON'
[{"name":"A","unit":"ns","value":100},{"name":"A","unit":"ns","value":102},{"name":"A","unit":"ns","value":101},
 {"name":"B","unit":"us","value":5},{"name":"B","unit":"us","value":6},{"name":"B","unit":"us","value":5.5}]
JSON
compare --by name --format csv mixed.json >out 2>err
is "$(cells 1,5 | cut -c 1-27)" 'name,ratio B,54.45544554455' 'units in a column are converted: 5.5 us to 101 ns'
python3 -c 'import json; print("\n".join(json.dumps(x) for x in json.load(open("mixed.json"))))' >mixed.jsonl
ci --by name --format csv mixed.jsonl >out 2>err
is "$(cells 1,3)" 'name,mean A,101 B,5500 ' '  in JSON lines'
printf 'name;Time Unit;real_time;iterations\nA;us;10;7\nB;ms;2;8\nB;s;0.003;9\n' >columns.csv
ci --by name --value real_time,iterations --format csv columns.csv >out 2>err
is "$(cells 1,2,4)" 'name,metric,mean A,real_time,10 A,iterations,7 B,real_time,2500 B,iterations,8.5 ' \
    '  in CSV; and counts have no such unit'
{ cat columns.csv && printf 'C;kB;4;1\n'; } >other.csv
ci --by name --value real_time other.csv >out 2>err
is "$? $(wc -c <out)" '2 0' 'units of several kinds: status 2, no result'
says "'real_time' is in several units, such as us and kB; add the column 'Time Unit' to those of --by" \
    '  a line says what to do'
ci --by 'name,Time Unit' --value real_time --format csv other.csv >out 2>err
is "$(cells 1,2,4)" 'name,Time Unit,mean A,us,10 B,us,2500 C,kB,4 ' '  with it each kind has its groups'
{ printf 'value,unit\n' && yes 1,ms | head -n 300 && echo 2,kB; } >late.csv
ci late.csv >out 2>err
is $? 1 'another kind far below: status 1'
says "line 302, column 'unit': 'kB' can't be converted to ms, as the others are; --by 'unit' tells them apart" \
    '  a line gives the place'
printf 'value,unit\n1,apples\n2,pears\n' | ci >out 2>err
is $? 1 'units that have no known name are not mixed: status 1'
printf 'value,unit\n1,ms\n2,\n' | ci >out 2>err
is $? 1 '  nor are values with and without one'
printf 'value,unit\n1,s\n2,s\n' >first.csv
printf 'value,unit\n3000,ms\n4000000,us\n' >second.csv
ci --format csv first.csv second.csv >out 2>err
is "$(cells 1,2)" 'n,mean 4,2.5 ' 'files in several units are converted to that of the first'

# --- comments, headers and cells as people write them ---
printf 'name,t\n# begun at 10:00, by me\na,1\n#a note\na,2\n# "quoted, text"\n# 3,4\nb,3\n' >comments.csv
ci --by name --format csv comments.csv >out 2>err
is "$? $(cells 1,2,3)" '0 name,n,mean a,2,1.5 b,1,3 ' 'comment lines between rows'
printf 'id,v\n#1,5\n#2,6\n' | ci --value v --format csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,5.5 ' '  but a name with # before numbers is none'
printf '# made by hand\n# name time\na 1\nb 3\n' >gnuplot.dat
ci --format csv gnuplot.dat >out 2>err
is "$(cells 1,2)" 'n,mean 2,2 ' 'a header behind #: a name for each cell of the first row'
ci --by name --value time --format csv gnuplot.dat >out 2>err
is "$(cells 1,3)" 'name,mean a,1 b,3 ' '  whose names can be asked for'
printf '# hostname;interval;timestamp;CPU;%%user\nh;1;2026-01-02 03:04:05;-1;5.5\n# hostname;interval;timestamp;CPU;%%user\nh;1;2026-01-02 03:04:06;-1;6.5\n' >sadf.csv
ci --value %user --format csv sadf.csv >out 2>err
is "$(cells 1,2)" 'n,mean 2,6 ' '  sadf -d, which repeats it'
printf 'name,t\n"a, b",1\na\\, b,3\n' | ci --by name --format csv >out 2>err
is "$(cut -d'"' -f 2,3 out | cut -d, -f 1-4 | tr '\n' ' ')" 'name,n,mean,sd a, b",2,2 ' 'a name with the delimiter, quoted or escaped'
printf 't\n1:02.5\n0:03.5\n1:00:00\n' | ci --format csv >out 2>err
is "$(cells 1,2)" 'n,mean 3,1222 ' 'minutes and seconds between colons'
printf 't\n0m1.25s\n1m0.75s\n1h0m1s\n' | ci --format csv >out 2>err
is "$(cells 1,2)" 'n,mean 3,1221 ' '  with letters'
printf 't;x\n1.5;a\n2,5;b\n' | ci --value t >out 2>err
says "'2,5' is not a number; write 2.5" 'a decimal comma: a hint'
printf 't;x\n1.5;a\n1,234.5;b\n' | ci --value t >out 2>err
says "'1,234.5' is not a number; write 1234.5" '  a comma between thousands'
printf 't;x\n1.5;a\n1,500;b\n' | ci --value t >out 2>err
says "'1,500' is not a number; write 1500, or 1.500 if that is meant" '  either'
printf 'run,value,weight\n1,5,2\n2,7,3\n' >plain.csv
ci plain.csv >out 2>err
is "$(sed -n 2p out | awk '{ print $1, $2 }') $(grep -c "values are those of 'value'" out)" '2 6 1' \
    'a column called value among others is taken, with a note'

done_testing

# Pipelines that end early by SIGPIPE, here documents, redirected descriptors up to 9 and a limit on descriptors: none of
# them may be in a recorder's use.
yes 2>/dev/null | head -n 2
(seq 1 100000; echo "seq ended with $?" >ended) | head -n 1
cat ended
exec 3>third 9>ninth
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
echo three >&3
echo nine >&9
exec 3>&- 9>&-
cat third ninth
ulimit -n 16
for i in 1 2 3; do
    awk 'BEGIN { for (i = 0; i < 300000; i++) s += i; print s }' | cat | cat
done
cat <<END
$(seq 1 3 | awk '{ s += $1 } END { print s }')
END
seq 1 20000 | sort -rn | head -n 1

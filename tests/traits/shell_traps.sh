# A shell's traps for signals it sends itself, its children's statuses, and what trap says of them.
trap 'echo urgent' URG
trap 'echo user' USR1
trap 'echo end' EXIT
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
kill -URG $$
kill -USR1 $$
trap
(
    i=0
    while [ $i -lt 20000 ]; do i=$((i + 1)); done
    kill -PROF "$(exec sh -c 'echo $PPID')"
) 2>/dev/null
echo "subshell $?"
sleep 20 &
kill -TERM $!
wait $!
echo "child $?"
sh -c 'kill -ALRM $$' 2>/dev/null
echo "shell $?"
{
    trap '' TERM
    sh -c 'kill -TERM $$; echo ignored'
}
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
exit 3

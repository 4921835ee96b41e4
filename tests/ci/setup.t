#!/bin/sh
# .ci/setup with programs in the place of dpkg-query, id and apt-get: what it asks apt-get for, and what it does if
# another program holds apt's lock of the lists, or if a package can't be installed.
. "$(dirname "$0")/../tap.sh"
scratch
mkdir bin
cat >bin/dpkg-query <<'END'
#!/bin/sh
case $* in *present*) printf installed ;; *) exit 1 ;; esac
END
printf '#!/bin/sh\necho 0\n' >bin/id
printf '#!/bin/sh\n:\n' >bin/sleep
# The lists are missing until `update` has succeeded, which its first $LOCKED calls do not.
cat >bin/apt-get <<'END'
#!/bin/sh
echo "$*" >>calls
case $* in
*' update'*)
    if [ "$(grep -c ' update' calls)" -le "${LOCKED:-0}" ]; then
        echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)'
        exit 100
    fi
    : >updated
    ;;
*) [ -e updated ] || { echo 'E: Unable to locate package absent'; exit 100; } ;;
esac
END
chmod +x bin/*

# set_up PACKAGE...: with all that a call of it leaves removed
set_up() {
    rm -f calls updated
    (cd "$scratch" && PATH=$scratch/bin:$PATH "$root/.ci/setup" "$@" >said 2>err)
}
# .ci/setup changes to its own folder, and its apt-get must find these files
sed -i "s,calls,$scratch/calls,g; s,updated,$scratch/updated,g" bin/apt-get

set_up present
is "$? $(cat said err) $(count=0; [ ! -e calls ] || count=$(wc -l <calls); echo "$count")" '0  0' \
    'if nothing is missing, apt-get is not called, and nothing is printed'

set_up present absent
is "$? $(cat said err)" '0 installing absent' 'what is missing is installed'
is "$(sed 's/^.*-qq //' calls)" 'install -y --no-install-recommends absent
update
install -y --no-install-recommends absent' '  after the lists of packages were updated, as the first try failed'
is "$(grep -vc 'DPkg::Lock::Timeout=[1-9]' calls)" 0 '  and each call waits for the lock of dpkg'

LOCKED=3
export LOCKED
set_up absent
is "$? $(cat said err)" '0 installing absent
waiting for another program that updates the lists of packages' 'while the lists are locked, it waits, and says so once'
is "$(grep -c ' update' calls)" 4 '  and tries again'

LOCKED=1000
set_up absent
is "$? $(grep -c 'Could not get lock' err)" '1 1' 'it does not wait for ever, and prints why it gives up'

printf '#!/bin/sh\necho "E: no network"\nexit 100\n' >bin/apt-get
set_up absent
is "$? $(cat said err)" '1 installing absent
E: no network' 'another error is printed, and the status is 1'

printf '#!/bin/sh\necho 1000\n' >bin/id
printf '#!/bin/sh\nexit 1\n' >bin/sudo
chmod +x bin/sudo
set_up absent
is "$? $(cat said err)" '1 packages are missing; run: sudo apt-get install --no-install-recommends absent' \
    'a user who may not install gets the command to type'
done_testing

# In another root a statically linked program starts one that is not: there is no recorder to preload, and nobody may
# complain about that.
# needs: busybox true && ! ldd "$(command -v busybox)" && test "$(id -u)" = 0
mkdir -p root/bin
for file in $(ldd /bin/sort | tr ' \t' '\n\n' | grep '^/lib'); do
    cp --parents -L "$file" root
done
cp "$(command -v busybox)" root/bin/busybox
cp /bin/sort root/bin/sort
chroot root /bin/busybox sh -c 'busybox seq 100000 | /bin/sort -rn | busybox head -n 1; exit 3'
echo "status $?"

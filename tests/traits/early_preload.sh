# A preloaded library that interposes a function which needs its constructor, as fakechroot does with
# dl_iterate_phdr(): an agent that is initialized before it must not call that.
# needs: gcc --version
cat >library.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
typedef int function(int (*)(struct dl_phdr_info *, size_t, void *), void *);
static function *next;
__attribute__((constructor)) static void begin(void)
{
    next = (function *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
}
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
    return next(callback, data);
}
END
gcc -shared -fPIC -o library.so library.c
LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$PWD/library.so sort --version | head -n 1
LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$PWD/library.so sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; exit 3'
echo "status $?"

/* A server gives up root but for one capability, in the usual order, and then works on as nobody: neither step may fail
 * or be undone, in any thread.
 * needs: test "$(id -u)" = 0 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static void *tell(void *who)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};
    burn(0.03);
    syscall(SYS_capget, &header, data);
    printf("%s: %d %d %d %d, capabilities %x %x, root again: %d\n", (char *)who, (int)getuid(), (int)geteuid(),
           (int)getgid(), getgroups(0, NULL), data[0].effective, data[1].effective, setuid(0) == 0);
    fflush(stdout);
    return NULL;
}

int main(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{1 << CAP_NET_BIND_SERVICE, 1 << CAP_NET_BIND_SERVICE, 0}, {0}};
    pthread_t thread;
    burn(0.02);
    int failed = prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    failed |= setgroups(0, NULL) | setgid(65534) | setuid(65534);
    failed |= (int)syscall(SYS_capset, &header, data);
    printf("failed %d\n", failed);
    fflush(stdout);
    tell("main");
    pthread_create(&thread, NULL, tell, "thread");
    pthread_join(thread, NULL);
    return 0;
}

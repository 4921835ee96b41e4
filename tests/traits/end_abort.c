/* Burns and ends by abort with a handler that returns: the status is that of SIGABRT, 134 in a shell, whatever a
 * recorder still has to write. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static void aborted(int number)
{
    (void)number;
    puts("handled");
    fflush(stdout);
}

int main(void)
{
    signal(SIGABRT, aborted);
    burn(0.1);
    puts("before");
    abort();
}

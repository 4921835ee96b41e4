/* plugin - a library to load and unload: its work() burns 400 ms of CPU time. */
#include "burn.h"

void work(void);
void work(void)
{
    static volatile unsigned sink;
    struct burn burn;
    for (burn_begin(&burn); burn_lasts(&burn, 400); burn_look(&burn))
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
}

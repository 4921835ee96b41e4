#include "collect/exact/tool/kinds/burst.h"

#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/shadow_memory.h"

Long burst_left;
UInt burst_watching = 1;

void burst_init(void)
{
    burst_left = (Long)config_get()->burst_on;
}

static void forget(void)
{
    shadow_clear_all();
    objects_forget();
}

void burst_switch(void)
{
    const struct config *config = config_get();
    burst_watching = !burst_watching;
    burst_left += (Long)(burst_watching ? config->burst_on : config->burst_off);
    if (burst_watching)
        forget();
}

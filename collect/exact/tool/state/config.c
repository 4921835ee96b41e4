#include "collect/exact/tool/state/config.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_options.h>

#include "collect/exact/tool/state/raw.h"
#include "collect/exact/tool/state/shadow_memory.h"

/* TIMES_MOST leaves room for more than 1000 header passes in each of the 100,000 blocks between two checks. */
enum { NAME_BYTES = 4096, TIMES_MOST = (1 << SHADOW_TIME_BITS) - (1 << 27) };

static struct config config = {.tolerance = 0.01, .times = TIMES_MOST};
static const HChar *mode = "waste", *burst;

const struct config *config_get(void)
{
    return &config;
}

void config_set_unmeasured(void)
{
    config.unmeasured = True;
}

Bool config_option(const HChar *argument)
{
    if (VG_STR_CLO(argument, "--assay-mode", mode)) {
    } else if (VG_STR_CLO(argument, "--assay-out", config.out)) {
    } else if (VG_STR_CLO(argument, "--assay-burst", burst)) {
    } else if (VG_BOOL_CLO(argument, "--assay-values", config.values)) {
    } else if (VG_BOOL_CLO(argument, "--assay-fetches", config.fetches)) {
    } else if (VG_STR_CLO(argument, "--assay-caches", config.caches)) {
    } else if (VG_BOOL_CLO(argument, "--assay-branches", config.branches)) {
    } else if (VG_STR_CLO(argument, "--assay-counters", config.counters)) {
    } else if (VG_BOOL_CLO(argument, "--assay-arguments", config.arguments)) {
    } else if (VG_BINT_CLO(argument, "--assay-reader", config.reader, 1, 0x7fffffff)) {
    } else if (VG_BINT_CLO(argument, "--assay-times", config.times, 1, TIMES_MOST)) {
    } else if (VG_DBL_CLO(argument, "--assay-fp-tolerance", config.tolerance)) {
    } else {
        return False;
    }
    return True;
}

void config_usage(void)
{
    VG_(printf)
    ("    --assay-only=NAME          record programs of this file name alone; may be repeated\n"
     "    --assay-skip=NAME          record no program of this file name; may be repeated\n"
     "    --assay-mode=dead-store|silent-store|silent-load|spatial-load|waste|memory|calls|methods\n"
     "                               [waste]\n"
     "    --assay-out=PREFIX         write records to PREFIX-PID.exact (except in mode methods)\n"
     "    --assay-function=NAME      mode calls: record the calls of this function (a pattern); may be repeated\n"
     "    --assay-counters=LIST      mode calls: instructions, l1i-misses, l1d-misses, l1-misses, l2-misses,\n"
     "                               branch-misses [none]\n"
     "    --assay-arguments=no|yes   mode calls: also record integer arguments [no]\n"
     "    --assay-caches=L1I,L1D,L2  modes methods and calls: misses of caches of BYTES/WAYS/LINE\n"
     "    --assay-branches=no|yes    modes methods and calls: count mispredicted branches [no]\n"
     "    --assay-reader=PID         mode memory: the process that reads PREFIX-PID.memory\n"
     "    --assay-values=no|yes      mode memory: also record values [no]\n"
     "    --assay-fetches=no|yes     mode memory: also record which instructions are executed [no]\n"
     "    --assay-fp-tolerance=F     floating-point values within this share are equal [0.01]\n"
     "    --assay-times=N            number times anew after N passes of loop headers [939524096]\n"
     "    --assay-burst=ON:OFF|auto  watch ON instructions, the first half without counting, and skip OFF, or\n"
     "                               choose both from what the bursts can't see [always on]\n");
}

Bool config_finalize(void)
{
    Bool all = VG_STREQ(mode, "waste"), good = True;
    config.dead_stores = all || VG_STREQ(mode, "dead-store");
    config.silent_stores = all || VG_STREQ(mode, "silent-store");
    config.silent_loads = all || VG_STREQ(mode, "silent-load");
    config.spatial = VG_STREQ(mode, "spatial-load");
    config.memory = VG_STREQ(mode, "memory") && config.reader;
    config.methods = VG_STREQ(mode, "methods");
    config.calls = VG_STREQ(mode, "calls");
    if (!config.methods && !config.calls && !config.dead_stores && !config.silent_stores && !config.silent_loads &&
        !config.spatial && !config.memory) {
        VG_(umsg)("assay: there is no mode '%s'\n", mode);
        return False;
    }
    if (!config.out && !config.methods) {
        VG_(umsg)("assay: --assay-out=PREFIX is missing\n");
        return False;
    }
    if (burst && VG_STREQ(burst, "auto")) {
        config.burst_auto = True;
        config.burst_on = RAW_BURST_ON;
        config.burst_off = RAW_BURST_OFF;
    } else if (burst) {
        HChar *end;
        config.burst_on = VG_(strtoull10)(burst, &end);
        good = *end == ':';
        config.burst_off = good ? VG_(strtoull10)(end + 1, &end) : 0;
        good = good && *end == '\0' && config.burst_on > 0;
    }
    if (!good)
        VG_(umsg)("assay: --assay-burst=%s: must be two numbers of instructions, ON:OFF, or auto\n", burst);
    return good;
}

const HChar *config_json(void)
{
    static HChar text[NAME_BYTES + 512], name[NAME_BYTES];
    HChar bursts[96] = "null";
    VG_(client_fname)(name, sizeof name, False);
    for (HChar *c = name; *c; c++) /* bytes that JSON or the reader might reject */
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            *c = '?';
    UInt length =
        VG_(sprintf)(text, "{\"collector\":\"valgrind\",\"engine\":\"exact\",\"mode\":\"%s\",\"pid\":%d,\"exe\":\"%s\"",
                     mode, VG_(getpid)(), name);
    if (config.burst_on)
        VG_(sprintf)
    (bursts, "{\"enable\":%llu,\"disable\":%llu,\"auto\":%s}", config.burst_on, config.burst_off,
     config.burst_auto ? "true" : "false");
    if (!config.calls)
        length += VG_(sprintf)(text + length, ",\"fp_tolerance\":%.6f,\"burst\":%s", config.tolerance, bursts);
    if (config.memory)
        length += VG_(sprintf)(text + length, ",\"values\":%s,\"fetches\":%s", config.values ? "true" : "false",
                               config.fetches ? "true" : "false");
    VG_(strcpy)(text + length, "}");
    return text;
}

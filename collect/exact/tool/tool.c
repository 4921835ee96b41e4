/*
 * tool.c - the exact tool: every load and store of a native program, with its value, its calling context, and the
 * previous contents. Registers the functions of the other files with Valgrind.
 *
 * Source: Su, dissertation 2020, ch. 3 (LoadSpy); Su et al., JXPerf, ESEC/FSE 2019, §4 (dead and silent stores).
 */
#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_options.h>
#include <valgrind/pub_tool_tooliface.h>

#include "collect/exact/tool/instances/functions.h"
#include "collect/exact/tool/instances/instances.h"
#include "collect/exact/tool/kinds/burst.h"
#include "collect/exact/tool/memory/memory.h"
#include "collect/exact/tool/process/begin.h"
#include "collect/exact/tool/process/execute.h"
#include "collect/exact/tool/process/filters.h"
#include "collect/exact/tool/process/limits.h"
#include "collect/exact/tool/counters/simulate.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/heap.h"
#include "collect/exact/tool/state/objects.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/exact/tool/tool.h"

static void tool_debug_usage(void)
{
}

/* The core does not know the status. */
static void tool_end_records(void)
{
    if (config_get()->methods || config_get()->unmeasured)
        return;
    if (config_get()->calls)
        instances_report();
    burst_flush();
    memory_report_gap();
    raw_writer_flush();
    raw_writer_end(system_exited ? RAW_EXITED : RAW_SIGNALLED, system_status);
}

static void tool_after_options(void)
{
    const struct config *config = config_get();
    if (!config_finalize())
        VG_(exit)(1);
    filters_init(tool_end_records);
    limits_init();
    begin_init();
    /* Every instruction's results are kept up to its end; otherwise a load whose value is never used would not be seen.
     * A translation ends with every call and jump, so that it has one context. */
    VG_(clo_vex_control).guest_chase = False;
    if (config->methods) {
        if (!simulate_init())
            VG_(exit)(1);
        return;
    }
    if (!execute_wants_program()) {
        config_set_unmeasured();
        return;
    }
    VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
    VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
    if (config->calls && (!simulate_init() || !instances_init()))
        VG_(exit)(1);
    system_init();
    shadow_init(config->silent_loads, config->dead_stores || config->silent_stores, config->burst_on > 0);
    context_init();
    pairs_init();
    heap_init();
    objects_init(config->spatial);
    burst_init();
    raw_writer_open(config->out);
    if (config->memory)
        memory_open();
}

/* The core's interface for tools. */
static IRSB *tool_translate(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                            const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                            IRType host_word)
{
    const struct config *config = config_get();
    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    if (config->unmeasured)
        return in;
    if (config->calls)
        return instances_translate(in);
    if (config->methods)
        return simulate_translate(in);
    return config->memory ? memory_block_translate(in) : waste_block_translate(in);
}

static void tool_at_end(Int unused)
{
    (void)unused;
    tool_end_records();
}

static Bool tool_parse_option(const HChar *argument)
{
    return config_option(argument) || execute_option(argument) || functions_option(argument);
}

static void tool_before_options(void)
{
    VG_(details_name)("assay");
    VG_(details_version)(ASSAY_VERSION);
    VG_(details_description)("dead stores, silent stores and silent loads, or calls");
    VG_(details_copyright_author)("GPL-3.0-or-later.");
    VG_(details_bug_reports_to)("the assay project");
    VG_(details_avg_translation_sizeB)(640);
    VG_(basic_tool_funcs)(tool_after_options, tool_translate, tool_at_end);
    VG_(needs_command_line_options)(tool_parse_option, config_usage, tool_debug_usage);
}

VG_DETERMINE_INTERFACE_VERSION(tool_before_options)

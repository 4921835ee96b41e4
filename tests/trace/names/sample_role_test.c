/* sample_role_test.c - the role of a sample: that of its thread, but collecting garbage is the collector's. */
#include "trace/names/sample_role.h"

#include <string.h>

#include "tests/tap.h"

/* Stacks from outermost to innermost in a thread of the VM, as perf, async-profiler and the recorder name frames of
 * HotSpot 11 to 24 (share/runtime/vmOperation.hpp, share/gc/serial). */
static const struct {
    const char *outer, *inner;
    unsigned role;
} stacks[] = {
    {"VM_GenCollectForAllocation::doit", "memmove", ROLE_GC},
    {"VM_GenCollectForAllocation::doit()", "DefNewGeneration::collect(bool, bool, unsigned long, bool)", ROLE_GC},
    {"VM_SerialCollectForAllocation::doit", "oopDesc::size", ROLE_GC},
    {"VM_GenCollectFull::doit", "MarkSweep::follow_stack", ROLE_GC},
    {"VM_ParallelGCSystemGC::doit", "PSScavenge::invoke", ROLE_GC},
    {"VM_G1CollectForAllocation::doit", "G1CollectedHeap::do_collection_pause_at_safepoint", ROLE_GC},
    {"VM_G1PauseRemark::doit", "f", ROLE_GC},
    {"VM_ShenandoahInitMark::doit", "f", ROLE_GC},
    {"VM_ZRelocateStart::doit", "f", ROLE_GC},
    {"", "[garbage collector]", ROLE_GC},
    {"f", "TenuredGeneration::promote", ROLE_GC},
    {"", "[VM thread]", ROLE_VM},
    {"VM_ThreadDump::doit", "memmove", ROLE_VM},
    {"VM_GC_HeapInspection::doit", "f", ROLE_VM},
    {"VM_HeapDumper::doit", "f", ROLE_VM},
    {"VM_RedefineClasses::doit", "f", ROLE_VM},
    {"my::DefNewGeneration::collect", "f", ROLE_VM},
};

/* The role of samples with this stack in a thread of this role. */
static unsigned role_of(const char *outer, const char *inner, const char *class_name, unsigned thread_role,
                        bool imported)
{
    struct trace_method methods[3] = {{"", "", "", ""}, {"", outer, "", ""}, {class_name, inner, "", ""}};
    struct trace_frame frames[3] = {{0}, {.method = 1}, {.method = 2}};
    struct trace_context contexts[3] = {{0, 0}, {0, 1}, {1, 2}};
    struct trace_thread threads[2] = {{.role = ROLE_NATIVE}, {.role = thread_role}};
    const struct trace_names names = {.method_count = 3,
                                      .frame_count = 3,
                                      .context_count = 3,
                                      .thread_count = 2,
                                      .methods = methods,
                                      .frames = frames,
                                      .contexts = contexts,
                                      .threads = threads};
    struct sample_roles roles;
    unsigned role = SAMPLE_ROLES;
    if (sample_roles_init(&roles, &names, imported))
        role = sample_role(&roles, 1, 2);
    sample_roles_free(&roles);
    return role;
}

int main(void)
{
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        ok(role_of(stacks[i].outer, stacks[i].inner, "", ROLE_VM, false) == stacks[i].role,
           "the VM's thread in %s > %s has role %s", stacks[i].outer, stacks[i].inner, trace_role_name(stacks[i].role));
    const char *collects = "DefNewGeneration::collect";
    ok(role_of("f", collects, "", ROLE_VM, true) == ROLE_GC, "the VM's thread of an imported profile, too");
    ok(role_of("f", collects, "", ROLE_JAVA, false) == ROLE_JAVA, "a thread of Java keeps its role");
    ok(role_of("f", collects, "", ROLE_JIT, false) == ROLE_JIT, "a compiler's thread keeps its role");
    ok(role_of("f", "VM_GenCollectFull", "Main", ROLE_VM, false) == ROLE_VM, "a Java method of such a name is none");
    ok(role_of("f", "g", "", ROLE_NATIVE, false) == ROLE_NATIVE, "a recorded native thread is one");
    ok(role_of("f", "g", "", ROLE_NATIVE, true) == SAMPLE_ROLE_UNKNOWN, "  in an imported profile, any role");
    ok(role_of("f", "g", "", ROLE_COUNT + 7, false) == SAMPLE_ROLE_UNKNOWN, "a later version's role is unknown");
    ok(sample_role_named("gc") == ROLE_GC && sample_role_named("unknown") == SAMPLE_ROLE_UNKNOWN &&
           sample_role_named("GC") == SAMPLE_ROLES && sample_role_named("") == SAMPLE_ROLES,
       "roles are found by name");
    return done_testing();
}

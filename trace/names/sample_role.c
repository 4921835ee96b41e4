#include "trace/names/sample_role.h"

#include <stdlib.h>
#include <string.h>

/* How the names of functions begin. */
static const char *const sample_role_collecting[] = {
    "[garbage collector]",
    /* operations of the VM thread */
    "VM_CollectForAllocation", "VM_CollectForMetadataAllocation", "VM_CollectForCodeCacheAllocation", "VM_GenCollect",
    "VM_SerialCollect", "VM_SerialGC", "VM_ParallelGC", "VM_ParallelCollect", "VM_G1Collect", "VM_G1Concurrent",
    "VM_G1Pause", "VM_G1TryInitiateConcMark", "VM_CMS_", "VM_Shenandoah", "VM_ZMark", "VM_ZRelocate", "VM_ZOperation",
    "VM_XMark", "VM_XRelocate", "VM_XOperation",
    /* the serial collector */
    "SerialHeap::", "SerialFullGC::", "GenCollectedHeap::", "DefNewGeneration::", "TenuredGeneration::",
    "GenMarkSweep::", "MarkSweep::", "CardTableRS::"};

static bool sample_role_collects(const struct trace_method *method)
{
    const size_t count = sizeof sample_role_collecting / sizeof *sample_role_collecting;
    for (size_t i = 0; !*method->class_name && i < count; i++)
        if (strncmp(method->name, sample_role_collecting[i], strlen(sample_role_collecting[i])) == 0)
            return true;
    return false;
}

bool sample_roles_init(struct sample_roles *roles, const struct trace_names *names, bool imported)
{
    bool *methods = calloc(names->method_count, sizeof *methods);
    *roles = (struct sample_roles){
        .names = names, .imported = imported, .collects = calloc(names->context_count, sizeof *roles->collects)};
    bool good = methods && roles->collects;
    for (size_t m = 0; good && m < names->method_count; m++)
        methods[m] = sample_role_collects(&names->methods[m]);
    for (size_t c = 0; good && c < names->context_count; c++) { /* parents come first */
        const struct trace_context *context = &names->contexts[c];
        roles->collects[c] =
            methods[names->frames[context->frame].method] || (c > 0 && roles->collects[context->parent]);
    }
    free(methods);
    return good;
}

void sample_roles_free(struct sample_roles *roles)
{
    free(roles->collects);
    roles->collects = NULL;
}

unsigned sample_role(const struct sample_roles *roles, uint32_t stream, uint32_t context)
{
    const struct trace_names *names = roles->names;
    unsigned role = names->threads[stream < names->thread_count ? stream : 0].role;
    if (role >= ROLE_COUNT || (role == ROLE_NATIVE && roles->imported))
        return SAMPLE_ROLE_UNKNOWN;
    return role == ROLE_VM && context < names->context_count && roles->collects[context] ? ROLE_GC : role;
}

unsigned sample_role_named(const char *name)
{
    unsigned role = 0;
    while (role < SAMPLE_ROLES && strcmp(name, trace_role_name(role)) != 0)
        role++;
    return role;
}

#include "collect/rewrite/addresses.h"

#include <dlfcn.h>
#include <string.h>

/* An entry of HotSpot's table (src/hotspot/share/runtime/vmStructs.hpp); a NULL type ends it. */
struct vm_field {
    const char *type, *name, *field_type;
    int32_t is_static;
    uint64_t offset;
    const void *address; /* of a static field */
};

static uint64_t facts[ADDRESSES_FACTS];

/* JDK 17 has "_narrow_oop._base", later ones "_base". */
static const struct vm_field *addresses_find_vm_field(const struct vm_field *all, const char *type, const char *end)
{
    for (; all && all->type; all++) {
        size_t length = strlen(all->name), wanted = strlen(end);
        if (strcmp(all->type, type) == 0 && length >= wanted && strcmp(all->name + length - wanted, end) == 0)
            return all;
    }
    return NULL;
}

/* The bits that ZGC, which `type` describes, uses for addresses; 0: it is not in use. */
static uint64_t addresses_zgc_mask(const struct vm_field *all, const char *type)
{
    const struct vm_field *instance = addresses_find_vm_field(all, type, "_instance_p");
    const struct vm_field *mask = addresses_find_vm_field(all, type, "AddressOffsetMask");
    const char *globals = instance && mask ? *(const char *const *)instance->address : NULL;
    const uint64_t *const *value = (const void *)(globals ? globals + mask->offset : NULL);
    return value && *value ? **value : 0;
}

bool addresses_find(JNIEnv *env)
{
    Dl_info jvm;
    void *library =
        dladdr((void *)(uintptr_t)(*env)->GetVersion, &jvm) ? dlopen(jvm.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    const struct vm_field **table = library ? dlsym(library, "gHotSpotVMStructs") : NULL;
    const struct vm_field *all = table ? *table : NULL, *base = addresses_find_vm_field(all, "CompressedOops", "_base"),
                          *shift = addresses_find_vm_field(all, "CompressedOops", "_shift");
    if (!base || !shift)
        return false;
    facts[ADDRESSES_BASE] = *(const uint64_t *)base->address;
    facts[ADDRESSES_SHIFT] = *(const uint32_t *)shift->address;
    uint64_t mask = addresses_zgc_mask(all, "ZGlobalsForVMStructs");
    if (mask && addresses_find_vm_field(all, "ZGlobalsForVMStructs", "_ZPointerLoadShift")) {
        facts[ADDRESSES_COLORED] = 1;
        return true;
    }
    if (!mask)
        mask = addresses_zgc_mask(all, "XGlobalsForVMStructs"); /* JDK 21 to 23 have both */
    if (mask) {
        facts[ADDRESSES_MASK] = mask;
        facts[ADDRESSES_VIEW] = (mask + 1) << 2; /* memory is mapped at three addresses; this is "remapped" */
    }
    return true;
}

uint64_t addresses_fact(enum addresses_fact fact)
{
    return fact < ADDRESSES_FACTS ? facts[fact] : 0;
}

/*
 * layout.c - where the fields of a class are, and where its objects have what Fields.java adds beside each of them: for
 * accesses that name an object and an offset. Nothing here runs code that has probes.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/rewrite/agent.h"

enum { FIELD_STATIC = 0x8, NUMBERS = 6 };

/* What Fields.java adds, in the order in which it adds it for each field. */
enum { LAST, KEPT, STORE, SHADOWS };
static const char MADE[] = "assay$o"; /* and once for all */

/* Fields in the order of the class file. */
struct layout_fields {
    jint count;
    jint *at; /* [count]: indexes of the class's fields */
};

struct layout {
    JNIEnv *env;
    jclass owner;
    jint count;
    jfieldID *ids;                                       /* [count] */
    char *types;                                         /* [count]: as in descriptors */
    struct layout_fields own, statics, shadows[SHADOWS]; /* own: those of the program */
    jint made;                                           /* what says where the object was allocated; -1: none */
};

jlong layout_constant(JNIEnv *env, const char *name)
{
    jclass unsafe = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    jfieldID id = unsafe ? (*env)->GetStaticFieldID(env, unsafe, name, "I") : NULL;
    if (id)
        return (*env)->GetStaticIntField(env, unsafe, id);
    (*env)->ExceptionClear(env);
    id = unsafe ? (*env)->GetStaticFieldID(env, unsafe, name, "J") : NULL; /* since Java 25 */
    if (id)
        return (*env)->GetStaticLongField(env, unsafe, id);
    (*env)->ExceptionClear(env);
    return -1;
}

/* ------------------------------------------------------------------------------------------ offsets -- */

static struct {
    jobject object; /* NULL: not known yet */
    jmethodID offset, static_offset;
} unsafe;

/* The first call comes before the program runs. */
static bool layout_find_unsafe(JNIEnv *env)
{
    if (unsafe.object)
        return true;
    jclass class = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    jfieldID only = class ? (*env)->GetStaticFieldID(env, class, "theUnsafe", "Ljdk/internal/misc/Unsafe;") : NULL;
    jmethodID offset =
        only ? (*env)->GetMethodID(env, class, "objectFieldOffset", "(Ljava/lang/reflect/Field;)J") : NULL;
    unsafe.static_offset =
        offset ? (*env)->GetMethodID(env, class, "staticFieldOffset", "(Ljava/lang/reflect/Field;)J") : NULL;
    unsafe.offset = offset;
    unsafe.object =
        unsafe.static_offset ? (*env)->NewGlobalRef(env, (*env)->GetStaticObjectField(env, class, only)) : NULL;
    return unsafe.object != NULL;
}

/* -1: it can't be found. */
static jlong layout_query_offset(JNIEnv *env, jclass owner, jfieldID id, bool is_static)
{
    jobject reflected = (*env)->ToReflectedField(env, owner, id, is_static);
    jlong offset = reflected ? (*env)->CallLongMethod(env, unsafe.object,
                                                      is_static ? unsafe.static_offset : unsafe.offset, reflected)
                             : -1;
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        offset = -1;
    }
    (*env)->DeleteLocalRef(env, reflected);
    return offset;
}

static jlong layout_field_offset(const struct layout *layout, jint field, bool is_static)
{
    return layout_query_offset(layout->env, layout->owner, layout->ids[field], is_static);
}

jlong layout_offset(JNIEnv *env, uint32_t reference)
{
    jfieldID id;
    bool is_static;
    jclass owner = layout_find_unsafe(env) ? statics_declaring_class(env, reference, &id, &is_static) : NULL;
    jlong offset = owner ? layout_query_offset(env, owner, id, is_static) : -1;
    (*env)->DeleteLocalRef(env, owner);
    return offset;
}

/* ------------------------------------------------------------------------------------------ fields -- */

static bool layout_read_field(struct layout *layout, jint field)
{
    char *name = NULL, *signature = NULL;
    jint modifiers = 0;
    jvmtiEnv *jvmti = agent.jvmti;
    bool good =
        (*jvmti)->GetFieldName(jvmti, layout->owner, layout->ids[field], &name, &signature, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GetFieldModifiers(jvmti, layout->owner, layout->ids[field], &modifiers) == JVMTI_ERROR_NONE;
    if (good) {
        layout->types[field] = *signature;
        static const char *const prefixes[SHADOWS] = {"assay$l$", "assay$v$", "assay$s$"};
        struct layout_fields *list = modifiers & FIELD_STATIC ? &layout->statics : &layout->own;
        if (strncmp(name, "assay$", 6) == 0) {
            list = NULL;
            for (size_t i = 0; i < SHADOWS; i++)
                if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
                    list = &layout->shadows[i];
            if (strcmp(name, MADE) == 0)
                layout->made = field;
        }
        if (list)
            list->at[list->count++] = field;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return good;
}

static jlongArray layout_encode_fields(const struct layout *layout)
{
    JNIEnv *env = layout->env;
    jlong *numbers = calloc((size_t)layout->count * NUMBERS + 1, sizeof *numbers), *out = numbers;
    jint count = 0;
    /* A class that is not rewritten has nothing beside its fields, which then are not known either. */
    bool has_shadows = layout->made >= 0;
    for (size_t i = 0; i < SHADOWS; i++)
        has_shadows &= layout->shadows[i].count == layout->own.count;
    for (jint i = 0; numbers && has_shadows && i < layout->own.count; i++, out = numbers + count * NUMBERS) {
        out[0] = layout->types[layout->own.at[i]];
        out[1] = layout_field_offset(layout, layout->own.at[i], false);
        for (size_t shadow = 0; shadow < SHADOWS; shadow++)
            out[2 + shadow] = layout_field_offset(layout, layout->shadows[shadow].at[i], false);
        out[2 + SHADOWS] = layout_field_offset(layout, layout->made, false);
        bool good = true;
        for (size_t number = 1; number < NUMBERS; number++)
            good = good && out[number] >= 0;
        count += good;
    }
    for (jint i = 0; numbers && i < layout->statics.count; i++, out = numbers + count * NUMBERS) {
        jint field = layout->statics.at[i];
        out[0] = -layout->types[field];
        out[1] = layout_field_offset(layout, field, true);
        out[2] = statics_number_field(env, layout->owner, layout->ids[field]);
        out[3] = out[4] = out[5] = 0;
        count += out[1] >= 0 && out[2] > 0;
    }
    assert(count <= layout->count);
    jlongArray made = numbers ? (*env)->NewLongArray(env, count * NUMBERS) : NULL;
    if (made)
        (*env)->SetLongArrayRegion(env, made, 0, count * NUMBERS, numbers);
    (*env)->ExceptionClear(env);
    free(numbers);
    return made;
}

jlongArray layout_describe_class(JNIEnv *env, jclass owner)
{
    struct layout layout = {.env = env, .owner = owner, .made = -1};
    if (!layout_find_unsafe(env) ||
        (*agent.jvmti)->GetClassFields(agent.jvmti, owner, &layout.count, &layout.ids) != JVMTI_ERROR_NONE)
        return NULL;
    struct layout_fields *lists[] = {&layout.own, &layout.statics, &layout.shadows[LAST], &layout.shadows[KEPT],
                                     &layout.shadows[STORE]};
    size_t count = (size_t)layout.count, list_count = sizeof lists / sizeof *lists;
    jint *indexes = calloc(count * list_count + 1, sizeof *indexes);
    layout.types = calloc(count + 1, 1);
    bool good = indexes && layout.types;
    for (size_t i = 0; good && i < list_count; i++)
        lists[i]->at = indexes + i * count;
    for (jint i = 0; good && i < layout.count; i++)
        good = layout_read_field(&layout, i);
    jlongArray made = good ? layout_encode_fields(&layout) : NULL;
    free(indexes);
    free(layout.types);
    (*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)layout.ids);
    return made;
}

/*
 * living.c - the living heap as JNI shows it to an inspection. Each object has a number and a local reference.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/keyed.h"
#include "collect/inspect/agent/agent.h"

enum { OBJECTS_MAX = 20000 };

struct living_object {
    uint32_t low, high; /* its address: the key */
    char type;          /* of its elements, once known; 0: not known */
    uint32_t length;
    jobject local;
};

struct living {
    JNIEnv *env;
    const struct target *target;
    struct keyed objects; /* of struct living_object; number − 1 is the index */
};

static struct living_object *living_object_at(const struct living *living, uint32_t number)
{
    assert(number > 0 && number <= living->objects.count);
    return keyed_at(&living->objects, number - 1);
}

uint32_t living_number(struct living *living, jobject local)
{
    if (!local)
        return 0;
    uint64_t address = placement_address(local);
    const struct living_object object = {.low = (uint32_t)address, .high = (uint32_t)(address >> 32), .local = local};
    size_t before = living->objects.count;
    uint32_t index =
        before < OBJECTS_MAX ? keyed_add(&living->objects, &object) : keyed_find(&living->objects, &object);
    if (index == KEYED_FULL || living->objects.count == before)
        (*living->env)->DeleteLocalRef(living->env, local);
    return index == KEYED_FULL ? 0 : index + 1;
}

static uint64_t living_address(void *user, uint32_t number)
{
    const struct living *living = user;
    if (number == 0 || number > living->objects.count)
        return 0;
    const struct living_object *object = living_object_at(living, number);
    return (uint64_t)object->high << 32 | object->low;
}

/* A reference that was loaded. False: there are too many objects. */
static bool living_convert_reference(struct living *living, jobject local, uint64_t *bits)
{
    bool null = !local;
    *bits = living_number(living, local);
    return null || *bits;
}

/* ------------------------------------------------------------------------------------------ fields -- */

static bool living_find_field(void *user, uint32_t constant, bool is_static, struct heap_field *field)
{
    struct living *living = user;
    const struct names_field *known = &living->target->fields[constant];
    if (constant >= living->target->constants.count || !known->owner || known->is_static != is_static)
        return false;
    *field = (struct heap_field){.number = constant, .offset = known->offset};
    if (is_static)
        field->holder = living_number(living, (*living->env)->NewLocalRef(living->env, known->owner));
    return !is_static || field->holder;
}

static uint64_t living_int_bits(jint value)
{
    return (uint32_t)value;
}

static uint64_t living_float_bits(jfloat value)
{
    const union {
        jfloat number;
        uint32_t bits;
    } both = {value};
    return both.bits;
}

static uint64_t living_double_bits(jdouble value)
{
    const union {
        jdouble number;
        uint64_t bits;
    } both = {value};
    return both.bits;
}

/* JNI has a function for each type of field, for static fields and for those of objects. */
#define LIVING_GET(Type)                                                                                               \
    (known->is_static ? (*env)->GetStatic##Type##Field(env, owner, known->id)                                          \
                      : (*env)->Get##Type##Field(env, object, known->id))

static bool living_load_field(void *user, uint32_t number, const struct heap_field *field, char type, uint64_t *bits)
{
    struct living *living = user;
    JNIEnv *env = living->env;
    const struct names_field *known = &living->target->fields[field->number];
    jobject object = living_object_at(living, number)->local;
    jclass owner = (*env)->NewLocalRef(env, known->owner);
    bool good = owner && (known->is_static || (*env)->IsInstanceOf(env, object, owner));
    if (!good)
        type = '\0';
    switch (type) {
    case '\0':
        break;
    case 'Z':
        *bits = (uint64_t)LIVING_GET(Boolean);
        break;
    case 'B':
        *bits = living_int_bits(LIVING_GET(Byte));
        break;
    case 'C':
        *bits = (uint64_t)LIVING_GET(Char);
        break;
    case 'S':
        *bits = living_int_bits(LIVING_GET(Short));
        break;
    case 'I':
        *bits = living_int_bits(LIVING_GET(Int));
        break;
    case 'J':
        *bits = (uint64_t)LIVING_GET(Long);
        break;
    case 'F':
        *bits = living_float_bits(LIVING_GET(Float));
        break;
    case 'D':
        *bits = living_double_bits(LIVING_GET(Double));
        break;
    default:
        good = living_convert_reference(living, LIVING_GET(Object), bits);
    }
    (*env)->DeleteLocalRef(env, owner);
    return good;
}

/* ------------------------------------------------------------------------------------------ arrays -- */

/* The classes of arrays, by the type of their elements; 'Z' is 'B', too. */
static jclass array_classes[128];

bool living_prepare(JNIEnv *env)
{
    static const char *const NAMES[] = {"[Z", "[B", "[C", "[S", "[I", "[J", "[F", "[D", "[Ljava/lang/Object;"};
    bool good = true;
    for (size_t i = 0; good && i < sizeof NAMES / sizeof *NAMES; i++) {
        jclass class = (*env)->FindClass(env, NAMES[i]);
        jclass global = class ? (*env)->NewGlobalRef(env, class) : NULL;
        array_classes[(unsigned char)NAMES[i][1]] = global;
        (*env)->DeleteLocalRef(env, class);
        good = global;
    }
    (*env)->ExceptionClear(env);
    return good;
}

static bool living_length(void *user, uint32_t number, char type, uint32_t *length)
{
    const struct living *living = user;
    struct living_object *object = living_object_at(living, number);
    if (!object->type) {
        JNIEnv *env = living->env;
        if ((*env)->IsInstanceOf(env, object->local, array_classes[(unsigned char)type]) ||
            (type == 'B' && (*env)->IsInstanceOf(env, object->local, array_classes['Z']))) {
            object->type = type;
            object->length = (uint32_t)(*living->env)->GetArrayLength(living->env, object->local);
        }
    }
    *length = object->length;
    return object->type == type;
}

static bool living_any_length(void *user, uint32_t number, uint32_t *length)
{
    static const char TYPES[] = "LBICJDSF";
    const struct living *living = user;
    char type = living_object_at(living, number)->type;
    if (type)
        return living_length(user, number, type, length);
    for (const char *each = TYPES; *each; each++)
        if (living_length(user, number, *each, length))
            return true;
    return false;
}

/* A byte array and one of booleans differ only for JNI. */
static uint64_t living_load_byte(JNIEnv *env, jobject array, jint at)
{
    jbyte byte = 0;
    jboolean boolean = 0;
    if ((*env)->IsInstanceOf(env, array, array_classes['B'])) {
        (*env)->GetByteArrayRegion(env, array, at, 1, &byte);
        return living_int_bits(byte);
    }
    (*env)->GetBooleanArrayRegion(env, array, at, 1, &boolean);
    return boolean;
}

static bool living_load_element(void *user, uint32_t number, char type, uint32_t index, uint64_t *bits)
{
    struct living *living = user;
    JNIEnv *env = living->env;
    jobject array = living_object_at(living, number)->local;
    jvalue value = {.j = 0};
    jint at = (jint)index;
    switch (type) {
    case 'B':
        *bits = living_load_byte(env, array, at);
        return true;
    case 'C':
        (*env)->GetCharArrayRegion(env, array, at, 1, &value.c);
        *bits = value.c;
        return true;
    case 'S':
        (*env)->GetShortArrayRegion(env, array, at, 1, &value.s);
        *bits = living_int_bits(value.s);
        return true;
    case 'I':
        (*env)->GetIntArrayRegion(env, array, at, 1, &value.i);
        *bits = living_int_bits(value.i);
        return true;
    case 'J':
        (*env)->GetLongArrayRegion(env, array, at, 1, &value.j);
        *bits = (uint64_t)value.j;
        return true;
    case 'F':
        (*env)->GetFloatArrayRegion(env, array, at, 1, &value.f);
        *bits = living_float_bits(value.f);
        return true;
    case 'D':
        (*env)->GetDoubleArrayRegion(env, array, at, 1, &value.d);
        *bits = living_double_bits(value.d);
        return true;
    default:
        return living_convert_reference(living, (*env)->GetObjectArrayElement(env, array, at), bits);
    }
}

/* ------------------------------------------------------------------------------------------ classes -- */

static enum heap_truth living_is_instance(void *user, uint32_t number, uint32_t constant)
{
    const struct living *living = user;
    JNIEnv *env = living->env;
    jclass class =
        constant < living->target->constants.count ? (*env)->NewLocalRef(env, living->target->classes[constant]) : NULL;
    if (!class)
        return HEAP_UNKNOWN;
    bool is = (*env)->IsInstanceOf(env, living_object_at(living, number)->local, class);
    (*env)->DeleteLocalRef(env, class);
    return is ? HEAP_TRUE : HEAP_FALSE;
}

/* ------------------------------------------------------------------------------------------ all of it -- */

struct living *living_begin(JNIEnv *env, const struct target *target, struct heap *heap)
{
    struct living *living = malloc(sizeof *living);
    if (!living || (*env)->PushLocalFrame(env, OBJECTS_MAX + 64) != 0) {
        (*env)->ExceptionClear(env);
        free(living);
        return NULL;
    }
    *living =
        (struct living){.env = env,
                        .target = target,
                        .objects = {.item_bytes = sizeof(struct living_object), .key_bytes = 2 * sizeof(uint32_t)}};
    *heap = (struct heap){.user = living,
                          .layout = &placement_get()->heap,
                          .find_field = living_find_field,
                          .load_field = living_load_field,
                          .length = living_length,
                          .any_length = living_any_length,
                          .load_element = living_load_element,
                          .is_instance = living_is_instance,
                          .address = living_address};
    return living;
}

void living_end(struct living *living)
{
    keyed_free(&living->objects);
    (*living->env)->PopLocalFrame(living->env, NULL);
    free(living);
}

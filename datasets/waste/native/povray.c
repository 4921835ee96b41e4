/*
 * The intersections of SPEC CPU2006's 453.povray, csg.cpp, line 250 (dissertation, Table 3.2; the paper gives no
 * listing): whether a point is inside an object is asked of a small function of another file, which calls the method of
 * the object's kind. Each call saves and loads the same registers. After: the small function is inlined; the method is
 * called in both forms.
 */
#include "case.h"

enum { OBJECTS = 8, POINTS = 1024 };

struct povray_point {
    double x, y, z;
};

struct povray_object {
    int (*contains)(const struct povray_point *, const struct povray_object *);
    const struct povray_object *clip; /* the objects that bound this one */
    struct povray_point center;
    double radius2;
    int inverted;
};

static struct povray_object objects[OBJECTS];
static struct povray_point points[POINTS];

CASE_EXTERNAL static int povray_sphere_contains(const struct povray_point *point, const struct povray_object *sphere)
{
    double x = point->x - sphere->center.x, y = point->y - sphere->center.y, z = point->z - sphere->center.z;
    return (x * x + y * y + z * z < sphere->radius2) != sphere->inverted;
}

/* Twice the same, so that each form has lines of its own: called, and inlined. */
CASE_EXTERNAL static int povray_is_inside(const struct povray_point *point, const struct povray_object *object)
{
    for (const struct povray_object *clip = object->clip; clip; clip = clip->clip)
        if (!clip->contains(point, clip))
            return 0;
    return object->contains(point, object) != 0;
} /* @blamed */

static inline __attribute__((always_inline)) int povray_is_inside_inlined(const struct povray_point *point,
                                                                          const struct povray_object *object)
{
    for (const struct povray_object *clip = object->clip; clip; clip = clip->clip)
        if (!clip->contains(point, clip))
            return 0;
    return object->contains(point, object) != 0;
}

CASE_NAMED static int povray_intersect_by_call(const struct povray_point *point)
{
    for (int i = 0; i < OBJECTS; i++)
        if (!povray_is_inside(point, &objects[i])) /* @blamed */
            return 0;
    return 1;
}

CASE_NAMED static int povray_intersect_inlined(const struct povray_point *point)
{
    for (int i = 0; i < OBJECTS; i++)
        if (!povray_is_inside_inlined(point, &objects[i]))
            return 0;
    return 1;
}

static double povray_coordinate(uint64_t *seed)
{
    return (double)(case_random(seed) % 1000) / 1000;
}

static double povray_run(size_t steps, int (*intersect)(const struct povray_point *))
{
    uint64_t seed = 17;
    double sum = 0;
    for (int i = 0; i < OBJECTS; i++) {
        objects[i].contains = povray_sphere_contains;
        objects[i].center = (struct povray_point){0.1 * i, 0.5, 0.5};
        objects[i].radius2 = 1;
    }
    for (int i = 0; i < POINTS; i++) {
        points[i].x = povray_coordinate(&seed);
        points[i].y = povray_coordinate(&seed);
        points[i].z = povray_coordinate(&seed);
    }
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < POINTS; i++)
            sum += intersect(&points[i]);
    return sum;
}

static double povray_before(size_t steps)
{
    return povray_run(steps, povray_intersect_by_call);
}

static double povray_after(size_t steps)
{
    return povray_run(steps, povray_intersect_inlined);
}

const struct waste_case waste_case = {povray_before, povray_after};

/* Source files below folders that the user names. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "analyze/waste/page/waste_page_parts.h"

enum { FILES_MOST = 500000 };

static const char *waste_page_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int waste_page_add_folders(struct waste_page_request *request, const char *folders)
{
    for (const char *at = folders, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, ':');
        if (end == at)
            continue;
        char **grown = reallocarray(request->folders, request->folder_count + 1, sizeof *grown);
        if (!grown)
            return ENOMEM;
        request->folders = grown;
        grown[request->folder_count] = strndup(at, (size_t)(end - at));
        if (!grown[request->folder_count])
            return ENOMEM;
        request->folder_count++;
    }
    return 0;
}

/* 0 or ENOMEM. */
static int waste_page_index_file(struct waste_page_index *index, const char *path)
{
    char **grown = grow_unset(index->paths, &index->capacity, index->count, sizeof *grown);
    if (!grown)
        return ENOMEM;
    index->paths = grown;
    grown[index->count] = strdup(path);
    return grown[index->count++] ? 0 : ENOMEM;
}

/* 0 or ENOMEM; a folder that can't be read is a warning. */
static int waste_page_index_folder(struct waste_page_index *index, char *folder, struct report *report)
{
    FTS *walk = fts_open((char *const[]){folder, NULL}, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    int error = walk ? 0 : ENOMEM;
    while (!error && !index->full && (entry = fts_read(walk))) {
        bool top = entry->fts_level == FTS_ROOTLEVEL;
        switch (entry->fts_info) {
        case FTS_D:
            if (!top && entry->fts_name[0] == '.')
                fts_set(walk, entry, FTS_SKIP);
            break;
        case FTS_F:
            index->full = index->count == FILES_MOST;
            error = index->full ? 0 : waste_page_index_file(index, entry->fts_path);
            break;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
            if (top)
                report_warn(report, "--sources %s: %s", folder, strerror(entry->fts_errno));
            break;
        default:
            break;
        }
    }
    if (walk)
        fts_close(walk);
    return error;
}

static int waste_page_compare_paths(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = strcmp(waste_page_base(x), waste_page_base(y));
    return order ? order : strcmp(x, y);
}

int waste_page_index(const struct waste_page_request *request, struct report *report, struct waste_page_index *index)
{
    int error = 0;
    *index = (struct waste_page_index){0};
    for (size_t i = 0; !error && i < request->folder_count; i++)
        error = waste_page_index_folder(index, request->folders[i], report);
    if (index->full)
        report_warn(report, "--sources: only the first %d files below these folders are searched", FILES_MOST);
    if (index->count > 0)
        qsort(index->paths, index->count, sizeof *index->paths, waste_page_compare_paths);
    return error;
}

void waste_page_free_index(struct waste_page_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        free(index->paths[i]);
    free(index->paths);
}

/* The number of components that two paths have in common at their ends. */
static size_t waste_page_common_components(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b), components = 0;
    while (x > 0 && y > 0 && a[x - 1] == b[y - 1]) {
        x--, y--;
        components += a[x] == '/';
    }
    bool whole = (x == 0 || a[x - 1] == '/') && (y == 0 || b[y - 1] == '/');
    return components + whole;
}

const char *waste_page_search(const struct waste_page_index *index, const char *name, size_t *alike)
{
    const char *base = waste_page_base(name), *best = NULL;
    size_t low = 0, high = index->count, most = 0;
    *alike = 1;
    if (access(name, R_OK) == 0)
        return name;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(waste_page_base(index->paths[middle]), base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < index->count && strcmp(waste_page_base(index->paths[low]), base) == 0; low++) {
        const char *path = index->paths[low];
        size_t common = waste_page_common_components(path, name);
        *alike = common == most ? *alike + 1 : common > most ? 1 : *alike;
        if (common > most || (common == most && strlen(path) < strlen(best)))
            best = path;
        most = common > most ? common : most;
    }
    return best;
}

int waste_page_open(const char *path, struct stat *status)
{
    if (stat(path, status) != 0)
        return -1;
    int fd = S_ISREG(status->st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode))
        return fd;
    if (fd >= 0)
        close(fd);
    if (!S_ISREG(status->st_mode))
        errno = EINVAL;
    return -1;
}

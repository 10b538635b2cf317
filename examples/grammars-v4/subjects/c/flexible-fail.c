/* Messages between the parts of a robot: how they are put together, and taken apart. */

extern void *malloc(unsigned long size);
extern void *memcpy(void *to, const void *from, unsigned long size);
extern void free(void *);

typedef unsigned char byte;
typedef unsigned short u16;

enum part { BASE, ARM, GRIPPER, CAMERA = 16, PARTS };

struct point {
    float x, y, z;
};

/* What each message begins with. */
struct head {
    enum part from : 8, to : 8;
    u16 length;
    struct { unsigned urgent : 1, last : 1, : 6; } flags;
};

struct move {
    struct head head;
    unsigned short count;
    struct point path[];
};

struct grip {
    struct head head;
    float force, fingers[3];
    const char (*names)[];
};

struct picture {
    struct head head;
    u16 width, height;
    byte pixels[];
    unsigned checksum;
};

struct queue {
    struct item {
        struct item *next;
        struct head *message;
        union { byte raw[8]; double time; } stamp;
    } *first, *last;
    int lengths[PARTS];
};

static unsigned sum(const byte *data, unsigned long size)
{
    unsigned result = 0;
    while (size--)
        result = result * 31 + *data++;
    return result;
}

struct move *move(const struct point path[], u16 count)
{
    struct move *result = malloc(sizeof *result + count * sizeof(struct point));
    if (!result)
        return 0;
    result->head.to = ARM;
    result->count = count;
    memcpy(result->path, path, count * sizeof *path);
    return result;
}

struct picture *picture(u16 width, u16 height, const byte pixels[])
{
    unsigned long size = (unsigned long)width * height;
    struct picture *result = malloc(sizeof(struct picture) + size);
    if (result) {
        result->head = (struct head) { .from = CAMERA, .to = BASE };
        result->width = width, result->height = height;
        memcpy(result->pixels, pixels, size);
        result->checksum = sum(pixels, size);
    }
    return result;
}

int put(struct queue *queue, struct head *message)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->next = 0;
    item->message = message;
    if (queue->last)
        queue->last->next = item;
    else
        queue->first = item;
    queue->last = item;
    return ++queue->lengths[message->to];
}

struct head *take(struct queue *queue)
{
    struct item *item = queue->first;
    struct head *message = item ? item->message : 0;
    if (item) {
        if (!(queue->first = item->next))
            queue->last = 0;
        queue->lengths[message->to]--;
        free(item);
    }
    return message;
}

/* A ring buffer of lines, and a filter that prints the last of them. */

typedef unsigned long size_t;

extern int printf(const char *format, ...);
extern void *malloc(size_t size);
extern void free(void *memory);
extern int getchar(void);

enum state { EMPTY, PARTIAL, FULL };

struct line {
    char *text;
    size_t length, room;
};

struct ring {
    struct line *lines;
    int first, count, capacity;
    enum state state;
};

static int ring_init(struct ring *ring, int capacity)
{
    int i;
    ring->lines = malloc(capacity * sizeof(struct line));
    if (!ring->lines)
        return -1;
    for (i = 0; i < capacity; i++) {
        ring->lines[i].text = 0;
        ring->lines[i].length = ring->lines[i].room = 0;
    }
    ring->first = ring->count = 0;
    ring->capacity = capacity;
    ring->state = EMPTY;
    return 0;
}

static struct line *ring_next(struct ring *ring)
{
    int at = (ring->first + ring->count) % ring->capacity;
    if (ring->count < ring->capacity) {
        ring->count++;
        ring->state = ring->count == ring->capacity ? FULL : PARTIAL;
    } else {
        ring->first = (ring->first + 1) % ring->capacity;
    }
    ring->lines[at].length = 0;
    return &ring->lines[at];
}

static int line_add(struct line *line, char c)
{
    size_t i;
    char *larger;
    if (line->length == line->room) {
        line->room = line->room ? 2 * line->room : 64;
        larger = malloc(line->room);
        if (!larger)
            return -1;
        for (i = 0; i < line->length; i++)
            larger[i] = line->text[i];
        free(line->text);
        line->text = larger;
    }
    line->text[line->length++] = c;
    return 0;
}

int main(int argc, char **argv)
{
    struct ring ring;
    struct line *line = 0;
    int c, i;
    if (ring_init(&ring, argc > 1 ? argv[1][0] - '0' : 5) < 0)
        return 1;
    while ((c = getchar()) != -1) {
        if (!line)
            line = ring_next(&ring);
        switch (c) {
        case '\r':
            break;
        case '\n':
            if (line->length == 0)
                line_add(line, ' ');
            line = 0;
            break;
        default:
            line_add(line, c);
        }
    }
    for (i = 0; i < ring.count; i++) {
        line = &ring.lines[(ring.first + i) % ring.capacity];
        printf("%3d: %.*s\n", i, (int) line->length, line->text);
    }
    return ring.state == EMPTY;
}

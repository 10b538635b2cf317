// Text that is put into lines of a given width.
typedef unsigned long size;

namespace text {

class Sink {
public:
    virtual ~Sink() {}
    virtual void put(const char *from, size length, bool last = true) = 0;
};

template <class T, size capacity = 16>
class List {
    T items[capacity];
    size count;

public:
    List() : count(0) {}
    bool add(const T &item) {
        if (count == capacity)
            return false;
        items[count++] = item;
        return true;
    }
    const T &operator[](size index) const { return items[index]; }
    size length() const { return count; }
};

struct Word {
    const char *begin;
    size length;
};

enum Align { left, right = 4, centre };

class Lines {
    Sink &sink;
    size width;
    Align align;
    List<Word, 64> words;

public:
    explicit Lines(Sink &to, size columns = 72, Align how) : sink(to), width(columns), align(how) {}
    Lines(const Lines &) = delete;

    void feed(const char *text);
    void flush(bool end = false);
    size pad(size used, char fill = ' ') const;
};

void Lines::feed(const char *text) {
    while (*text != '\0') {
        Word word = {text, 0};
        for (; *text != '\0' && *text != ' '; ++text)
            word.length++;
        if (!words.add(word)) {
            flush();
            words.add(word);
        }
        if (*text == ' ')
            ++text;
    }
}

size Lines::pad(size used, char) const {
    size rest = used < width ? width - used : 0;
    switch (align) {
    case left:
        return 0;
    case centre:
        return rest / 2;
    default:
        return rest;
    }
}

void Lines::flush(bool end) {
    size used = 0;
    for (size at = 0; at < words.length(); at++) {
        const Word &word = words[at];
        used += word.length + 1;
        if (used > width) {
            sink.put("\n", 1, false);
            used = pad(used);
        }
        sink.put(word.begin, word.length);
    }
    if (end)
        sink.put("\n", 1);
}

}

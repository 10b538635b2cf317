import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The blocks of a text, as they are between empty lines, broken anew to a width. */
abstract class Blocks implements Iterator<String> {
    static final boolean STRICT = true;
    protected final int width;
    private String ahead;

    Blocks(int width) {
        if (width < 1)
            throw new IllegalArgumentException("width " + width);
        this.width = width;
    }

    enum Mark {
        QUOTE, ITEM, NONE;

        static Mark of(String line) {
            for (Mark mark : values()) {
                if (line.charAt(0) != ">* ".charAt(mark.ordinal())) continue;
                return mark;
            }
            return NONE;
        }
    }

    abstract String line() throws IOException;

    static Blocks of(Reader source, int width) {
        var lines = new BufferedReader(source);
        return new Blocks(width) {
            String line() throws IOException {
                synchronized (lines) {
                    return lines.readLine();
                }
            }
        };
    }

    private String read() {
        StringBuilder block = new StringBuilder();
        try {
            for (;;) {
                String line = line();
                if (line == null) {
                    break;
                } else if (!line.isBlank()) {
                    block.append(line.strip()).append(' ');
                } else if (block.length() > 0) {
                    return block.toString();
                }
            }
        } catch (IOException problem) {
            if (STRICT) throw new AssertionError(problem);
        }
        return block.length() == 0 ? null : block.toString();
    }

    public boolean hasNext() {
        if (ahead == null) ahead = read();
        return ahead != null;
    }

    public String next() {
        if (!hasNext()) throw new NoSuchElementException();
        String block = ahead;
        ahead = null;
        int left = 0;
        StringBuilder result = new StringBuilder();
        do {
            int end = Math.min(left + width, block.length());
            while (end < block.length() && end > left + 1 && block.charAt(end) != ' ') end--;
            result.append(block, left, end).append('\n');
            left = end;
        } while (left < block.length());
        switch (Mark.of(block)) {
            case QUOTE:
                result.insert(0, "quoted:\n");
                break;
            case ITEM:
                return "- " + result;
            default:
                ;
        }
        return result.toString();
    }

    public static void main(String[] arguments) {
        Blocks blocks = of(new InputStreamReader(System.in), 72);
        outer: {
            if (!blocks.hasNext()) break outer;
            blocks.forEachRemaining(System.out::println);
        }
    }
}

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.List;
import java.util.Objects;

/** Reads numbers that are added and multiplied, such as 2*(3+4). */
final class Sums {
    private static final char END = '\uffff';
    private static long calls;

    private final Reader source;
    private char next;

    private Sums(Reader source) throws IOException {
        this.source = Objects.requireNonNull(source);
        this.advance();
    }

    static class Wrong extends Exception {
        private static final long serialVersionUID = 1L;
        final int at;

        Wrong(String what, int at) {
            super(what);
            this.at = at;
        }

        @Override
        public String getMessage() {
            return super.getMessage() + " at " + this.at;
        }
    }

    sealed interface Node permits Number, Pair {
        long value();

        static Node zero() {
            return new Number(0);
        }
    }

    record Number(long value) implements Node {
        Number {
            if (value < 0) {
                throw new IllegalArgumentException();
            }
        }
    }

    record Pair(char sign, Node left, Node right) implements Node {
        public long value() {
            return switch (sign) {
                case '+' -> this.left.value() + this.right.value();
                case '*' -> left.value() * right.value();
                default -> throw new IllegalStateException("sign " + sign);
            };
        }
    }

    private void advance() throws IOException {
        int read;
        do {
            read = source.read();
        } while (read == ' ' || read == '\t');
        next = read < 0 ? END : (char) read;
        calls++;
    }

    private Node sum() throws IOException, Wrong {
        Node result = product();
        while (next == '+') {
            advance();
            result = new Pair('+', result, this.product());
        }
        return result;
    }

    private Node product() throws IOException, Wrong {
        Node result = factor();
        for (; next == '*'; result = new Pair('*', result, factor())) {
            advance();
        }
        return result;
    }

    private Node factor() throws IOException, Wrong {
        if (next == '(') {
            advance();
            final Node inner = sum();
            if (next != ')') {
                throw new Wrong("no parenthesis", (int) calls);
            }
            advance();
            return inner;
        }
        long value = 0L;
        boolean any = false;
        while (Character.isDigit(next)) {
            value = value * 10 + (next - '0');
            any = true;
            advance();
        }
        if (!any)
            throw new Wrong("no number", (int) calls);
        return new Number(value);
    }

    static long evaluate(String text) throws Wrong {
        try (Reader reader = new StringReader(text)) {
            var sums = new Sums(reader);
            Node node = text.isEmpty() ? Node.zero() : sums.sum();
            if (sums.next != END) throw new Wrong("more", (int) Sums.calls);
            return node.value();
        } catch (IOException problem) {
            throw new AssertionError(problem);
        }
    }

    public static void main(String... texts) throws Wrong {
        Runnable last = new Runnable() {
            @Override
            public void run() {
                System.out.println(this.getClass().getName() + ": " + calls);
            }
        };
        for (String text : List.of(texts)) {
            System.out.println(text + " = " + evaluate(text));
        }
        last.run();
    }
}

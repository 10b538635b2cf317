import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * A worker that judges many inputs in one virtual machine: the part that does not depend on the program.
 *
 * It speaks the protocol of docs/subject.md on the streams that the machine was given, and gives the program others:
 * an empty standard input, and two that are captured. An input runs in a thread of its own that looks like
 * that of `java Program`: it is called main, has its stack, and what it throws is printed in the same words. As there, the
 * run has ended when no thread is left but daemons, or when the program asks the machine to exit.
 *
 * What cannot be undone makes the worker stale: a request to exit (whoever asked stands still ever after), a
 * thread that stays, an exhausted memory, more output than may be.
 */
final class Worker {
    /** What is run. */
    interface Program {
        /** Is called once, with the captured streams in place; what it prints is lost. */
        void prepare() throws Throwable;

        /** Does what the main method would do with these arguments; returns the exit code. */
        int run(String[] arguments) throws Throwable;

        /** Forgets the last input. Returns false when something of it cannot be forgotten. */
        boolean reset() throws Throwable;
    }

    private static final int LIMIT = Integer.getInteger("worker.output", 1 << 20);

    private final Program program;
    private final Capture out = new Capture();
    private final Capture err = new Capture();
    private Properties properties;
    /** The run that goes on. */
    private volatile Run run;

    private Worker(Program program) {
        this.program = program;
    }

    /**
     * Serves until standard input ends; or rehearses. Then each argument is a command line, words with a blank between
     * them. They are run one after the other, and the machine exits, so that it may archive the classes that this took.
     */
    static void serve(Program program, String[] rehearsals) throws Throwable {
        Worker worker = new Worker(program);
        if (rehearsals.length == 0) worker.serve();
        else worker.rehearse(rehearsals);
    }

    private void rehearse(String[] rehearsals) throws Throwable {
        begin();
        for (String rehearsal : rehearsals) {
            StringBuilder text = new StringBuilder("{\"id\": 0, \"arguments\": [");
            for (String word : rehearsal.split(" ")) {
                if (text.charAt(text.length() - 1) != '[') text.append(',');
                Request.quote(word, text);
            }
            answer(new Request(text.append("]}").toString()));
        }
        System.exit(0);
    }

    private void serve() throws Throwable {
        DataInputStream input = new DataInputStream(new FileInputStream(FileDescriptor.in));
        DataOutputStream output = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        begin();
        send(output, "{\"ready\": true}");
        for (;;) {
            byte[] bytes;
            try {
                bytes = new byte[input.readInt()];
            } catch (EOFException end) {
                Runtime.getRuntime().halt(0);
                return;
            }
            input.readFully(bytes);
            Request request = new Request(new String(bytes, StandardCharsets.UTF_8));
            send(output, answer(request));
        }
    }

    /** Puts the program's streams in place, and all that its runs have in common. */
    private void begin() throws Throwable {
        PrintStream complaints = System.err;
        System.setIn(InputStream.nullInputStream());
        System.setOut(out.stream());
        System.setErr(err.stream());
        refuseExit(complaints);
        program.prepare();
        properties = (Properties) System.getProperties().clone();
    }

    /** Runs the program once. */
    private String answer(Request request) throws InterruptedException {
        out.reset();
        err.reset();
        Run now = new Run(threads());
        run = now;
        Thread main = new Thread(() -> now.main(request.arguments), "main");
        main.start();
        now.ended.await();
        if (!now.isCutShort) main.join();
        run = null;
        boolean isStale = now.isCutShort || now.isExhausted;
        if (!isStale) {
            System.setProperties((Properties) properties.clone());
            try {
                isStale = !program.reset() || !now.isAlone();
            } catch (Throwable error) {
                isStale = true;
            }
        }
        StringBuilder text = new StringBuilder("{\"id\": ").append(request.id).append(", \"exit\": ").append(now.exit & 0xff);
        text.append(", \"stdout\": ");
        Request.quote(out.text(), text);
        text.append(", \"stderr\": ");
        Request.quote(err.text(), text);
        if (isStale) text.append(", \"stale\": true");
        return text.append('}').toString();
    }

    private static void send(DataOutputStream output, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] message = new byte[4 + bytes.length];
        for (int index = 0; index < 4; index++) message[index] = (byte) (bytes.length >>> (24 - 8 * index));
        System.arraycopy(bytes, 0, message, 4, bytes.length);
        output.write(message);
        output.flush();
    }

    /** All threads that there are. */
    private static Set<Thread> threads() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) top = top.getParent();
        Thread[] some = new Thread[64];
        int count;
        while ((count = top.enumerate(some)) == some.length) some = new Thread[2 * some.length];
        return new HashSet<>(Arrays.asList(some).subList(0, count));
    }

    /** One run of the program. */
    private final class Run {
        private final Set<Thread> before;
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile int exit;
        private volatile boolean isCutShort;
        private volatile boolean isExhausted;

        Run(Set<Thread> before) {
            this.before = before;
        }

        void main(String[] arguments) {
            try {
                exit = program.run(arguments);
            } catch (Throwable error) {
                // As the virtual machine tells what its main thread did not catch.
                isExhausted = error instanceof VirtualMachineError && !(error instanceof StackOverflowError);
                exit = 1;
                System.err.print("Exception in thread \"main\" ");
                error.printStackTrace();
            }
            try {
                while (hasOthers(thread -> thread.isAlive() && !thread.isDaemon())) Thread.sleep(1);
            } catch (InterruptedException interruption) {
                isCutShort = true;
            }
            ended.countDown();
        }

        /** Whether there are threads that the input left behind. */
        boolean hasOthers(java.util.function.Predicate<Thread> such) {
            for (Thread thread : threads()) {
                if (thread != Thread.currentThread() && !before.contains(thread) && such.test(thread)) return true;
            }
            return false;
        }

        /** Whether all threads of the input are gone, or will be in a moment. */
        boolean isAlone() throws InterruptedException {
            for (int wait = 0; wait < 200; wait++) {
                if (!hasOthers(Thread::isAlive)) return true;
                Thread.sleep(1);
            }
            return false;
        }

        /** Ends at once; the thread that asked for it goes no further. */
        void cut(int code) {
            if (!isCutShort) {
                isCutShort = true;
                exit = code;
                ended.countDown();
            }
            for (;;) {
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException interruption) {
                    // Goes on to sleep.
                }
            }
        }
    }

    /** What the program writes, as much of it as may be and a byte more. */
    private final class Capture extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        /** A stream that stays open: some programs close what they wrote to. */
        PrintStream stream() {
            return new PrintStream(this, true, Charset.defaultCharset()) {
                @Override
                public void close() {
                    flush();
                }
            };
        }

        synchronized void reset() {
            bytes.reset();
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] from, int start, int length) {
            boolean isFull;
            synchronized (this) {
                bytes.write(from, start, Math.min(length, LIMIT + 1 - bytes.size()));
                isFull = bytes.size() > LIMIT;
            }
            Run now = run;
            if (isFull && now != null) now.cut(0);
        }
    }

    /**
     * Turns requests to exit into the end of a run. Virtual machines of the future have no such means; there the worker
     * ends, and the input is judged by a process of its own.
     */
    @SuppressWarnings({"deprecation", "removal"})
    private void refuseExit(PrintStream complaints) {
        SecurityManager manager = new SecurityManager() {
            @Override
            public void checkExit(int code) {
                Run now = run;
                if (now != null) now.cut(code);
            }

            @Override
            public void checkPermission(java.security.Permission permission) {}

            @Override
            public void checkPermission(java.security.Permission permission, Object context) {}

            @Override
            public void checkPackageAccess(String name) {}

            @Override
            public void checkRead(String file) {}
        };
        try {
            System.setSecurityManager(manager);
        } catch (UnsupportedOperationException error) {
            complaints.println("exits are not refused: " + error.getMessage());
        }
    }

    /** A message from the engine. */
    private static final class Request {
        final long id;
        final String[] arguments;
        private final String text;
        private int place;

        Request(String text) {
            this.text = text;
            java.util.Map<?, ?> members = (java.util.Map<?, ?>) value();
            id = ((Number) members.get("id")).longValue();
            arguments = ((List<?>) members.get("arguments")).toArray(new String[0]);
        }

        private char peek() {
            while (Character.isWhitespace(text.charAt(place))) place++;
            return text.charAt(place);
        }

        private boolean skip(char wanted) {
            if (peek() != wanted) return false;
            place++;
            return true;
        }

        private void expect(char wanted) {
            if (!skip(wanted)) throw new IllegalArgumentException("expected " + wanted + " at " + place + " of " + text);
        }

        private Object value() {
            switch (peek()) {
                case '{': {
                    java.util.Map<String, Object> members = new java.util.HashMap<>();
                    expect('{');
                    if (skip('}')) return members;
                    do {
                        peek();
                        String name = string();
                        expect(':');
                        members.put(name, value());
                    } while (skip(','));
                    expect('}');
                    return members;
                }
                case '[': {
                    List<Object> elements = new java.util.ArrayList<>();
                    expect('[');
                    if (skip(']')) return elements;
                    do elements.add(value()); while (skip(','));
                    expect(']');
                    return elements;
                }
                case '"':
                    return string();
                default: {
                    int start = place;
                    while (place < text.length() && ",]} \n".indexOf(text.charAt(place)) < 0) place++;
                    String word = text.substring(start, place);
                    switch (word) {
                        case "true": return true;
                        case "false": return false;
                        case "null": return null;
                        default: return Long.valueOf(word);
                    }
                }
            }
        }

        private String string() {
            expect('"');
            StringBuilder found = new StringBuilder();
            for (;;) {
                char next = text.charAt(place++);
                if (next == '"') return found.toString();
                if (next != '\\') {
                    found.append(next);
                    continue;
                }
                char escaped = text.charAt(place++);
                if (escaped == 'u') {
                    found.append((char) Integer.parseInt(text.substring(place, place + 4), 16));
                    place += 4;
                } else {
                    int index = "bfnrt".indexOf(escaped);
                    found.append(index < 0 ? escaped : "\b\f\n\r\t".charAt(index));
                }
            }
        }

        /** Writes a text as JSON. */
        static void quote(String text, StringBuilder into) {
            into.append('"');
            for (int index = 0; index < text.length(); index++) {
                char next = text.charAt(index);
                if (next == '"' || next == '\\') into.append('\\').append(next);
                else if (next < ' ') into.append(String.format("\\u%04x", (int) next));
                else into.append(next);
            }
            into.append('"');
        }
    }
}

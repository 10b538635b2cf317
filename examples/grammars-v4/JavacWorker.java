import com.sun.source.util.JavacTask;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Has javac check what is made of a file and not compile it, once or as a worker (docs/subject.md, Workers). What is public need not be called as the file is.
 * 0: there is no error, 1: there are some, which are told, 2: nothing can be made of the file, 4: javac broke.
 */
public class JavacWorker {
    static final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    /** It remembers what classes the platform has, and nothing of a file. */
    static final StandardJavaFileManager platform = javac.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);

    static {
        try {
            platform.setLocation(StandardLocation.CLASS_PATH, List.of());
            platform.setLocation(StandardLocation.SOURCE_PATH, List.of());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** That nothing can be made of a file, and why. */
    static class Malformed extends RuntimeException {
        Malformed(String reason) {
            super(reason);
        }
    }

    final List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-nowarn", "-Xlint:none", "-Xmaxerrs", "1000"));
    final UnaryOperator<String> form;

    /** With more options, and what makes a source of the text of a file. */
    JavacWorker(List<String> more, UnaryOperator<String> form) {
        options.addAll(more);
        this.form = form;
    }

    static class Source extends SimpleJavaFileObject {
        final String text;

        Source(String text) {
            super(URI.create("string:///input.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignore) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return true;
        }
    }

    int judge(String file, StringBuilder told) throws IOException {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        int code = 0;
        try {
            Source source = new Source(form.apply(new String(Files.readAllBytes(Path.of(file)), StandardCharsets.UTF_8)));
            JavacTask task = (JavacTask) javac.getTask(Writer.nullWriter(), platform, found, options, null, List.of(source));
            task.parse();
            if (found.getDiagnostics().stream().noneMatch(one -> one.getKind() == Diagnostic.Kind.ERROR)) {
                task.analyze();
            }
        } catch (Malformed problem) {
            told.append("malformed: ").append(problem.getMessage()).append('\n');
            return 2;
        } catch (Throwable problem) {
            told.append("javac broke: ").append(problem.getClass().getName()).append('\n');
            code = 4;
        }
        for (Diagnostic<? extends JavaFileObject> one : found.getDiagnostics()) {
            if (one.getKind() == Diagnostic.Kind.ERROR) {
                told.append(one.getLineNumber()).append(": error: ").append(one.getMessage(Locale.ENGLISH)).append('\n');
                code = Math.max(code, 1);
            }
        }
        return code;
    }

    static String quoted(String text) {
        StringBuilder result = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                result.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                result.append(String.format("\\u%04x", Character.isSurrogate(c) ? 0xfffd : (int) c));
            } else {
                result.append(c);
            }
        }
        return result.append('"').toString();
    }

    static void send(DataOutputStream sink, String message) throws IOException {
        byte[] data = message.getBytes(StandardCharsets.UTF_8);
        sink.writeInt(data.length);
        sink.write(data);
        sink.flush();
    }

    /** Judges the file that the arguments name, or, where they name none, those that are asked about. */
    void run(String[] arguments) throws IOException {
        if (arguments.length > 0) {
            StringBuilder told = new StringBuilder();
            int code = judge(arguments[0], told);
            System.err.print(told);
            System.err.flush();
            System.exit(code);
        }
        DataInputStream source = new DataInputStream(System.in);
        DataOutputStream sink = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        Pattern form = Pattern.compile("\"id\":\\s*(\\d+)|\"arguments\":\\s*\\[\\s*\"([^\"\\\\]*)\"\\s*\\]");
        send(sink, "{\"ready\": true}");
        for (int first = System.in.read(); first >= 0; first = System.in.read()) {
            int length = first << 24 | source.readUnsignedByte() << 16 | source.readUnsignedShort();
            byte[] data = new byte[length];
            source.readFully(data);
            String id = "0", file = "";
            for (Matcher part = form.matcher(new String(data, StandardCharsets.UTF_8)); part.find(); ) {
                if (part.group(1) != null) {
                    id = part.group(1);
                } else {
                    file = part.group(2);
                }
            }
            StringBuilder told = new StringBuilder();
            int code = judge(file, told);
            String stale = code == 4 ? ", \"stale\": true" : "";
            send(sink, "{\"id\": " + id + ", \"exit\": " + code + ", \"stdout\": \"\", \"stderr\": " + quoted(told.toString()) + stale + "}");
        }
    }
}

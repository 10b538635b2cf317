import java.io.IOException;
import java.util.List;

/** Has javac check a file and not compile it: Check FILE, or Check as a worker. */
public class Check {
    public static void main(String[] arguments) throws IOException {
        new JavacWorker(List.of(), text -> text).run(arguments);
    }
}

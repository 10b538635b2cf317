import java.io.IOException;
import java.util.List;

/**
 * Has javac, with its -Xdoclint, check a comment as that of an interface: Check FILE, or Check as a worker. A comment without its marks gets them here.
 * 2: the comment ends before the end.
 */
public class Check {
    static String commented(String text) {
        String comment = text.startsWith("/**") ? text : "/**" + text + "*/";
        if (comment.indexOf("*/", 3) != comment.length() - 2) {
            throw new JavacWorker.Malformed("the comment ends before the end");
        }
        return comment + "\npublic interface Sample {\n}\n";
    }

    public static void main(String[] arguments) throws IOException {
        new JavacWorker(List.of("-Xdoclint:all,-missing"), Check::commented).run(arguments);
    }
}

// Whether ANTLR accepts inputs, by its interpreter: actions do nothing, predicates are true.
//
// Arguments: the grammar of the parser (or of both), the start rule, and the lexer grammar if it is a file of its own. Standard input
// has a file name on each line; standard output says of each, on a line of its own, `accept`, `reject`, `prefix` (the start rule ended
// before the input did, without an error) or `time`. What is wrong with the grammar goes to standard error; the exit code is 2 then.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.tool.ANTLRMessage;
import org.antlr.v4.tool.ANTLRToolListener;
import org.antlr.v4.tool.Grammar;
import org.antlr.v4.tool.LexerGrammar;

final class AntlrDecides {
    private static final int SECONDS = 20;
    private static int wrong = 0;

    /** Counts what is wrong with a grammar. */
    private static final ANTLRToolListener TOLD = new ANTLRToolListener() {
        @Override public void info(String message) {}
        @Override public void warning(ANTLRMessage message) {}
        @Override public void error(ANTLRMessage message) {
            wrong++;
            System.err.println(message);
        }
    };

    /** A grammar that takes its tokens from a lexer that is at hand, not from a file that a tool wrote. */
    private static final class ParserGrammar extends Grammar {
        ParserGrammar(String file, String text, Grammar lexer) throws Exception {
            super(file, text, lexer, TOLD);
        }

        @Override public void importTokensFromTokensFile() {}
    }

    public static void main(String[] arguments) throws Exception {
        String text = Files.readString(Path.of(arguments[0]));
        LexerGrammar lexer = null;
        Grammar parser;
        if (arguments.length > 2) {
            // The tool's constructor with a file name is for parsers; a lexer's imports are found beside the working folder.
            lexer = new LexerGrammar(arguments[2], Files.readString(Path.of(arguments[2])), TOLD);
            parser = new ParserGrammar(arguments[0], text, lexer);
        } else {
            parser = new Grammar(arguments[0], text, TOLD);
        }
        if (wrong > 0 || parser.getRule(arguments[1]) == null) {
            System.err.println("the grammar cannot be used");
            System.exit(2);
        }
        Grammar words = lexer == null ? parser : lexer;
        ExecutorService work = Executors.newSingleThreadExecutor(job -> {
            // Deep inputs need deep recursion.
            Thread thread = new Thread(null, job, "parse", 512L << 20);
            thread.setDaemon(true);
            return thread;
        });
        BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String name = names.readLine(); name != null; name = names.readLine()) {
            Path file = Path.of(name);
            String answer;
            try {
                answer = work.submit(() -> decide(parser, words, arguments[1], file)).get(SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException late) {
                System.out.println("time");
                System.out.flush();
                // What is behind it would wait for it.
                while (names.readLine() != null) {
                    System.out.println("time");
                }
                break;
            }
            System.out.println(answer);
            System.out.flush();
        }
        System.out.flush();
        System.exit(0);
    }

    private static String decide(Grammar parser, Grammar words, String start, Path file) throws Exception {
        int[] errors = {0};
        BaseErrorListener counting = new BaseErrorListener() {
            @Override public void syntaxError(Recognizer<?, ?> recognizer, Object symbol, int line, int column,
                                              String message, RecognitionException error) {
                errors[0]++;
            }
        };
        LexerInterpreter lexing = words.createLexerInterpreter(CharStreams.fromPath(file));
        lexing.removeErrorListeners();
        lexing.addErrorListener(counting);
        CommonTokenStream tokens = new CommonTokenStream(lexing);
        try {
            tokens.fill();
        } catch (RuntimeException empty) {
            // `popMode` without a mode to go back to.
            return "reject";
        }
        ParserInterpreter parsing = parser.createParserInterpreter(tokens);
        parsing.removeErrorListeners();
        parsing.addErrorListener(counting);
        parsing.parse(parser.getRule(start).index);
        if (errors[0] > 0) {
            return "reject";
        }
        return tokens.LA(1) == Token.EOF ? "accept" : "prefix";
    }
}

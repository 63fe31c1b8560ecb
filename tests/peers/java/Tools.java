import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Exit;

/**
 * Kafka's command line tools behind a pipe: one JSON command per line in ({"class", "args", "stdin"}), one JSON answer
 * per line out ({"stdout", "stderr", "code"}). One process runs many of them, because a JVM takes a second to start.
 * The streams are set before any tool is loaded and switched below it: Scala's Console keeps those it found first.
 */
public final class Tools {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Runnable> SHUTDOWN_HOOKS = new ArrayList<>();
    private static volatile Integer exitCode;

    /** Unwinds a tool that wants to exit. Some catch it and go on: the first code counts, what they print then does not. */
    private static final class Ended extends Error {
        Ended(int code) {
            super(null, null, false, false);
            if (exitCode == null) {
                exitCode = code;
            }
        }
    }

    private static final class Switch extends OutputStream {
        private ByteArrayOutputStream target = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int octet) {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] data, int start, int length) {
            if (exitCode == null) {
                target.write(data, start, length);
            }
        }

        synchronized String take() {
            String text = target.toString(StandardCharsets.UTF_8);
            target = new ByteArrayOutputStream();
            return text;
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Switch out = new Switch();
        Switch err = new Switch();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        Exit.setExitProcedure((code, message) -> { throw new Ended(code); });
        Exit.setHaltProcedure((code, message) -> { throw new Ended(code); });
        Exit.setShutdownHookAdder((name, hook) -> SHUTDOWN_HOOKS.add(hook));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            ObjectNode answer = JSON.createObjectNode();
            answer.put("code", run(JSON.readTree(line)));
            exitCode = null;
            SHUTDOWN_HOOKS.forEach(Runnable::run);
            SHUTDOWN_HOOKS.clear();
            answer.put("stdout", out.take());
            answer.put("stderr", err.take());
            answers.println(JSON.writeValueAsString(answer));
        }
        Runtime.getRuntime().halt(0);
    }

    private static int run(JsonNode command) throws Exception {
        List<String> arguments = new ArrayList<>();
        command.get("args").forEach(argument -> arguments.add(argument.asText()));
        InputStream input = new ByteArrayInputStream(command.path("stdin").asText("").getBytes(StandardCharsets.UTF_8));
        System.setIn(input);
        exitCode = null;
        try {
            Class<?> tool = Class.forName(command.get("class").asText());
            tool.getMethod("main", String[].class).invoke(null, (Object) arguments.toArray(new String[0]));
            return exitCode == null ? 0 : exitCode;
        } catch (InvocationTargetException error) {
            if (exitCode != null) {
                return exitCode;
            }
            error.getCause().printStackTrace();
            return 1;
        }
    }
}

/** `npm run chat -- "message"`: one streamed turn in the terminal, against a running server. */
import { chat } from './chat/chat.ts';
import { exitCode } from './chat/exit-code.ts';
import { parseOptions, usage } from './chat/options.ts';
import { openTerminal } from './chat/terminal.ts';

const options = parseOptions(process.argv.slice(2), process.env);
if (typeof options === 'string') {
  process.stderr.write(`${options}\n\n${usage}`);
  process.exitCode = exitCode.usage;
} else {
  const terminal = openTerminal({
    input: process.stdin,
    interactive: process.stdin.isTTY,
    output: process.stdout,
    errors: process.stderr,
    signals: process,
  });
  process.exitCode = await chat(options, terminal);
  terminal.close();
  // A socket that is closing may keep the process for seconds; by now all that counts is written.
  process.stdout.write('', () => process.exit());
}

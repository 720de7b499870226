import { Refused, SessionClient, Unreachable } from '../session-client.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { ChatOptions } from './options.ts';
import { Talk } from './talk.ts';
import type { Terminal } from './terminal.ts';

/** Says a message in a session, prints the turn, asks what it asks when somebody is there, and gives the exit code. */
export async function chat(options: ChatOptions, terminal: Terminal): Promise<ExitCode> {
  const client = await SessionClient.open(options).catch(refusal);
  if (client instanceof Error) {
    terminal.note(`${client.message}\n`);
    return exitCode.refused;
  }
  const talk = new Talk(client, terminal, options.json);
  try {
    return await Promise.race([talk.say(options.message), talk.left]);
  } catch (error) {
    talk.note(refusal(error).message);
    return exitCode.refused;
  } finally {
    client.close();
  }
}

/** @throws what is no refusal, as it is. */
function refusal(error: unknown): Refused | Unreachable {
  if (error instanceof Refused || error instanceof Unreachable) return error;
  throw error;
}

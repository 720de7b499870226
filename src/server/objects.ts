import type { SessionApi } from '../session/api.ts';
import { directoryAddress, stubAt } from '../session/address.ts';
import type { DirectoryApi } from './directory.ts';
import type { Identity } from './identity/index.ts';

// The type that the platform derives for a stub goes too deep for the compiler where a method takes or gives JSON. So a namespace is
// taken without its class, and its stubs as what they answer.

/** A session as the server uses it: its calls, and `fetch` for a socket. */
export type SessionStub = DurableObjectStub & SessionApi;

/** The session of a participant under a scope (SESS-01). */
export function sessionOf(env: Env, { jurisdiction, participant }: Identity, scope: string): SessionStub {
  const sessions: DurableObjectNamespace = env.SESSIONS;
  return stubAt(sessions, { jurisdiction, participant, scope }) as SessionStub;
}

/** The directory of a participant. */
export function directoryOf(env: Env, identity: Identity): DirectoryApi {
  const directories: DurableObjectNamespace = env.DIRECTORY;
  return stubAt(directories, directoryAddress(identity)) as DurableObjectStub & DirectoryApi;
}

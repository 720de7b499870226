import { mark } from './directive.ts';

/** How a client speaks to one of the servers under measurement. */
export interface Target {
  readonly name: string;
  /** The socket of a session. */
  socket(session: string): string;
  /** The frame that asks a question. */
  ask(question: string, id: string): string;
  /** True for the first frame after which a client may ask. */
  isReady(frame: Buffer): boolean;
  /** True for a frame that carries text of the reply as it streams. */
  isDelta(frame: Buffer): boolean;
  /** True for the frame that tells that all is over. */
  isEnd(frame: Buffer): boolean;
}

/** How many deltas a frame holds, joined or not. */
export function deltasIn(frame: Buffer): number {
  let count = 0;
  for (let at = frame.indexOf(mark); at >= 0; at = frame.indexOf(mark, at + 1)) count += 1;
  return count;
}

/** Reins at an address. */
export function reins(address: string): Target {
  return {
    name: 'Reins',
    socket: (session) => `${address.replace('http', 'ws')}/api/sessions/${session}/socket`,
    ask: (message, id) => JSON.stringify({ type: 'turn', id, message }),
    isReady: (frame) => frame.includes('"type":"ready"'),
    isDelta: (frame) => frame.includes('"type":"text_delta"'),
    isEnd: (frame) => frame.includes('"type":"state"') && frame.includes('"lastEnded":{'),
  };
}

/** One of the floors: the relay, the relay that joins, the object that only has a socket. */
export function floor(address: string, kind: 'relay' | 'joining' | 'empty'): Target {
  const names = { relay: 'bare relay', joining: 'relay, joining 40 ms', empty: 'empty object' };
  return {
    name: names[kind],
    socket: (session) => `${address.replace('http', 'ws')}/${kind}/${session}`,
    ask: (question) => question,
    isReady: (frame) => frame.includes('"type":"ready"'),
    isDelta: (frame) => frame.includes('"type":"text_delta"'),
    isEnd: (frame) => frame.includes('"type":"end"'),
  };
}

/** AIChatAgent at an address, spoken to as its own client does, but for the transcript, of which only the new message is sent. */
export function peer(address: string): Target {
  return {
    name: 'AIChatAgent',
    socket: (session) => `${address.replace('http', 'ws')}/agents/chat/${session}`,
    ask: (text, id) => askPeer([{ id: `message-${id}`, role: 'user', parts: [{ type: 'text', text }] }], id),
    isReady: (frame) => frame.includes('"cf_agent_identity"'),
    isDelta: (frame) => frame.includes('text-delta'),
    isEnd: (frame) => frame.includes('"cf_agent_use_chat_response"') && frame.includes('"done":true'),
  };
}

/** The frame with which AIChatAgent's client asks; `messages` is its transcript. */
export function askPeer(messages: readonly object[], id: string): string {
  const body = JSON.stringify({ id: 'chat', messages, trigger: 'submit-message' });
  return JSON.stringify({ type: 'cf_agent_use_chat_request', id, init: { method: 'POST', body } });
}

/** A Chat Completions server in a process of its own: it says what the last question tells it to, and sends its port to its parent. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Directive, mark } from './directive.ts';

/** Where nothing is to be paced, deltas go out in writes of about so many bytes. */
const writeSize = 65_536;

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const body = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted', choices };
  return `data: ${JSON.stringify(body)}\n\n`;
}

const usage = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'scripted',
  choices: [],
  usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
})}\n\n`;

async function say({ deltas, size = 6, pause = 0 }: Directive, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const write = async (text: string): Promise<void> => {
    if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  };
  await write(chunk({ role: 'assistant', content: '' }, null));
  const line = chunk({ content: mark.padEnd(size - 1, 'word') + ' ' }, null);
  const together = pause > 0 ? 1 : Math.ceil(writeSize / line.length);
  for (let said = 0; said < deltas && !response.destroyed; said += together) {
    await write(line.repeat(Math.min(together, deltas - said)));
    if (pause > 0) await sleep(pause);
  }
  response.end(`${chunk({}, 'stop')}${usage}data: [DONE]\n\n`);
}

/** The directive at the end of the last question; a content may be a text or parts, and hold earlier questions too. */
function questionIn(body: string): Directive {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string | { text: string }[] }[] };
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const text = typeof content === 'string' ? content : content.map((part) => part.text).join('');
  return JSON.parse(text.slice(text.lastIndexOf('{'))) as Directive;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const bytes of request.setEncoding('utf8')) body += String(bytes);
  await say(questionIn(body), response);
}

const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());

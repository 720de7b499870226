/** The floors of the bench: objects that do nothing but what cannot be left out. */
import { DurableObject } from 'cloudflare:workers';

interface Env {
  readonly EMPTY: DurableObjectNamespace;
  readonly RELAY: DurableObjectNamespace;
  readonly JOINING: DurableObjectNamespace;
  readonly MODEL_URL: string;
}

/** An object with a socket: it greets, and that is all. */
export class Empty extends DurableObject<Env> {
  override fetch(): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    ours.send('{"type":"ready"}');
    return new Response(null, { status: 101, webSocket: theirs });
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }
}

/** Asks the model what a client asks it, and sends each delta on as a frame to every socket. It stores nothing. */
export class Relay extends Empty {
  override async webSocketMessage(_socket: WebSocket, question: string): Promise<void> {
    const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: question }] });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.env.MODEL_URL}/chat/completions`, { method: 'POST', headers, body });
    for await (const text of texts(response.body as ReadableStream<Uint8Array>)) this.take(text);
    this.flush();
    this.tell('{"type":"end"}');
  }

  /** Takes a delta. */
  protected take(text: string): void {
    this.tell(JSON.stringify({ type: 'text_delta', text }));
  }

  /** Sends what is held. */
  protected flush(): void {}

  protected tell(frame: string): void {
    for (const socket of this.ctx.getWebSockets()) socket.send(frame);
  }
}

/** A relay that joins what comes within 40 ms. */
export class JoiningRelay extends Relay {
  #held = '';
  #timer: ReturnType<typeof setTimeout> | null = null;

  protected override take(text: string): void {
    this.#held += text;
    this.#timer ??= setTimeout(() => this.flush(), 40);
  }

  protected override flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held !== '') super.take(this.#held);
    this.#held = '';
  }
}

/** The texts of a stream of Chat Completions chunks. */
async function* texts(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
      const text = choices[0]?.delta.content ?? '';
      if (text !== '') yield text;
    }
  }
}

/** `/CLASS/NAME` is an object's socket. */
export default {
  fetch(request: Request, env: Env): Promise<Response> | Response {
    const [, kind, name = ''] = new URL(request.url).pathname.split('/');
    const namespaces = { empty: env.EMPTY, relay: env.RELAY, joining: env.JOINING };
    const namespace = namespaces[kind as keyof typeof namespaces];
    return namespace === undefined ? new Response('ok') : namespace.getByName(name).fetch(request);
  },
};

/**
 * The peer of the bench: AIChatAgent as its own documentation sets it up, with two doors: GET /api/bench/NAME/rows tells how many rows the chat has
 * written, POST /api/bench/NAME/fill/COUNT puts messages into it.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AIChatAgent } from '@cloudflare/ai-chat';
import { routeAgentRequest } from 'agents';
import { convertToModelMessages, streamText } from 'ai';
import { filler, meter, rowsWritten } from '../meter.ts';

interface Env extends Cloudflare.Env {
  readonly Chat: DurableObjectNamespace<Chat>;
  readonly MODEL_URL: string;
}

/** A chat over a Chat Completions server. */
export class Chat extends AIChatAgent<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(meter(ctx), env);
  }

  override async onChatMessage(): Promise<Response> {
    const provider = createOpenAICompatible({ name: 'scripted', baseURL: this.env.MODEL_URL, includeUsage: true });
    const result = streamText({ model: provider('scripted'), messages: await convertToModelMessages(this.messages) });
    return result.toUIMessageStreamResponse();
  }

  /** How many rows it has written since it came to life. */
  rows(): number {
    return rowsWritten(this.ctx);
  }

  /** Puts so many messages into the chat. */
  async fill(count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, n) => ({
      id: `message-${n}`,
      role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
      parts: [{ type: 'text' as const, text: filler(n) }],
    }));
    await this.persistMessages(messages);
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, , bench, name = '', act, count] = new URL(request.url).pathname.split('/');
    if (bench !== 'bench') return (await routeAgentRequest(request, env)) ?? new Response('ok');
    const chat = env.Chat.getByName(name);
    if (act === 'fill') await chat.fill(Number(count));
    return Response.json(await chat.rows());
  },
};

/** What a package was about to send. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A scripted answer: status 200 and an event stream unless said otherwise; each piece of the body is a chunk. */
export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | readonly Uint8Array[];
}

/** The network as a provider package sees it: its `fetch` option, playing one answer a request. */
export function wire(...answers: (WireAnswer | Error)[]): {
  readonly fetch: typeof globalThis.fetch;
  readonly requests: readonly WireRequest[];
} {
  const requests: WireRequest[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      requests.push({ url, headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
      const answer = answers[requests.length - 1];
      if (answer === undefined) throw new Error('The wire has no answer to this request.');
      if (answer instanceof Error) throw answer;
      const { status = 200, headers = { 'content-type': 'text/event-stream' }, body } = answer;
      return new Response(typeof body === 'string' ? body : streamOf(body), { status, headers });
    },
  };
}

/** Chunks as a stream that gives one at a time. */
function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
}

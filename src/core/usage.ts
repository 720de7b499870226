/** Tokens (RUN-16, EVT-24). `cacheRead` and `cacheWrite` count what the provider reports of its prompt cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** No tokens at all. */
export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The sum of two usages, field by field. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

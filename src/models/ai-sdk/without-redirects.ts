/**
 * A `fetch` to make model objects with: it hands a redirect back instead of following it, since the key would travel along
 * (HTTP-10). Over the runtime's own `fetch` when none is given.
 */
export function withoutRedirects(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: 'manual' });
}

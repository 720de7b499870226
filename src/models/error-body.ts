/** The most bytes of an error's body that are read (HTTP-07). */
const errorBodyLimit = 64 * 1024;

/** The start of a body as text; what lies beyond 64 KiB is not read. */
export async function errorText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = errorBodyLimit;
  for await (const bytes of body) {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.length;
    if (left <= 0) break;
  }
  return text;
}

const schemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address a reader may follow, as the browser would write it; null for anything but an absolute http, https or mailto address.
 * White space and control characters are refused, since browsers drop some of them before they read the scheme.
 */
export function safeHref(address: string): string | null {
  if (hasControls(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  return schemes.has(url.protocol) ? url.href : null;
}

function hasControls(text: string): boolean {
  return [...text].some((char) => char <= ' ' || char === '\u007f');
}

/** How bytes are sent. `onShare` hears how much of them is on its way, from 0 to 1. */
export interface UploadInit {
  readonly headers: HeadersInit;
  readonly signal: AbortSignal;
  readonly onShare: (share: number) => void;
}

/** Puts bytes at an address; the answer, whatever its status, or null when there is none. By XMLHttpRequest, since fetch does not tell how far it is. */
export function upload(address: string, body: Blob, init: UploadInit): Promise<Response | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('PUT', address);
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => init.onShare(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => resolve(new Response(request.responseText, { status: request.status })));
    for (const name of ['error', 'abort', 'timeout'] as const) request.addEventListener(name, () => resolve(null));
    init.signal.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}

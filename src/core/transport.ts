/** What a transport gives at once: status and headers, and a body that is read as it comes (HTTP-01). */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Posts to a model's endpoint (MODEL-08).
 * @throws Cancelled when `cancel` fires, at once; ModelError of kind `transport_error` when the connection fails.
 */
export interface Transport {
  post(url: string, headers: Readonly<Record<string, string>>, body: string, cancel: AbortSignal): Promise<TransportResponse>;
}

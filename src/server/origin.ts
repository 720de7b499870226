import type { Settings } from './settings.ts';

/** True when a browser on a page of this origin may use the API: the Worker's own origin, or one of ALLOWED_ORIGINS. */
export function isAllowedOrigin(origin: string, request: Request, settings: Settings): boolean {
  return origin === new URL(request.url).origin || settings.allowedOrigins.includes(origin);
}

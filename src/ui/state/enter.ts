import type { Json } from '../../core/json.ts';
import { ApiError } from './api.ts';
import type { App } from './app.ts';
import { readConfig } from './config.ts';

/** The session of a participant that has none yet: two tabs of a fresh server meet in it. */
const firstScope = 'main';

/** Begins, or begins anew with another token. */
export async function enter(app: App): Promise<void> {
  try {
    const config = readConfig(await app.api.get<Json>('/config'));
    app.config.value = config;
    app.signIn.value = null;
    app.directory.stop();
    if (app.route.scope.value === null) {
      await app.directory.refresh();
      app.route.go(config.onlyScope ?? app.directory.newest()?.scope ?? firstScope, true);
    }
    void app.directory.follow();
  } catch (error) {
    if (!askToSignIn(app, error)) setTimeout(() => void enter(app), 2000);
  }
}

/** Shows the sign-in form when that is what the error asks for; false when it asks for something else. */
export function askToSignIn(app: App, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  app.signIn.value = error.code === 'auth_not_configured' ? 'not_configured' : app.token.peek() === null ? 'needed' : 'refused';
  return true;
}

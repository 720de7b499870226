import { effect, signal, untracked } from '@preact/signals';
import type { StoredMessage } from '../../session/protocol/wire.ts';
import { Highlighting } from '../lib/highlight.ts';
import { narrow } from '../lib/use-media.ts';
import { Api } from './api.ts';
import type { App } from './app.ts';
import { Deletions } from './deletions.ts';
import { Directory } from './directory.ts';
import { Drafts } from './drafts.ts';
import { askToSignIn, enter } from './enter.ts';
import { Panel } from './panel.ts';
import { Route } from './route.ts';
import { SessionStore, type TextStore } from './session.ts';
import { textStore } from './stores.ts';
import { themeChoice } from './theme.ts';
import { Toasts } from './toasts.ts';
import { socketAddress, webSocketWire } from './web-socket.ts';
import { tabName } from './who.ts';

const tokenKey = 'reins.token';
const nameKey = 'reins.name';

/** Builds the app in a browser and keeps it going. */
export function createApp(): App {
  const local = textStore(() => localStorage);
  const tab = textStore(() => sessionStorage);
  const me = tab.get(nameKey) ?? tabName(navigator.userAgent, hex(2));
  tab.set(nameKey, me);
  const token = signal(tab.get(tokenKey));
  const api = new Api(token, me);
  const toasts = new Toasts();
  const directory = new Directory(api, Math.random);
  const app: App = {
    api,
    token,
    signIn: signal(null),
    config: signal(null),
    route: new Route(),
    session: signal(null),
    directory,
    deletions: new Deletions(directory, toasts),
    drafts: new Drafts(local),
    toasts,
    theme: themeChoice(local, document.documentElement),
    highlighting: new Highlighting(),
    me,
    railOpen: signal(false),
    panel: new Panel(local),
    files: signal(null),
    compose: signal(false),
    helpOpen: signal(false),
    open: (scope) => {
      app.route.go(scope);
      if (matchMedia(narrow).matches) app.railOpen.value = false;
    },
    create: () => {
      app.compose.value = true;
      app.open(newScope());
    },
    remove: (scope, title) => {
      app.deletions.ask(scope, title);
      if (scope === app.route.scope.value) app.open(directory.newest()?.scope ?? newScope());
    },
    signOut: () => {
      token.value = null;
      void enter(app);
    },
  };
  effect(() => tab.set(tokenKey, token.value));
  effect(() => {
    const scope = app.route.scope.value;
    const bearer = app.token.value;
    if (scope === null || app.signIn.value !== null) return undefined;
    return untracked(() => openSession(app, tab, scope, bearer));
  });
  listen(app);
  void enter(app);
  return app;
}

/** A scope that nobody uses yet. */
function newScope(): string {
  return `s-${hex(8)}`;
}

function openSession(app: App, tab: TextStore, scope: string, token: string | null): () => void {
  const protocols = token === null ? ['reins.v1'] : ['reins.v1', `bearer.${token}`];
  const path = `/sessions/${encodeURIComponent(scope)}`;
  const store = new SessionStore({
    scope,
    open: (cursor) => webSocketWire(() => socketAddress(scope, cursor()), protocols),
    older: (before) =>
      app.api.get<{ messages: StoredMessage[]; more: boolean }>(
        `${path}/messages?limit=100&before=${encodeURIComponent(before)}`,
      ),
    blob: (href) => app.api.blob(href),
    now: Date.now,
    random: Math.random,
    newId: () => `c-${hex(12)}`,
    schedule: withNextPicture,
    tabStore: tab,
    label: app.me,
    onLost: (code, opened) => {
      if (code === 1008 || !opened) void app.api.get('/config').catch((error: unknown) => askToSignIn(app, error));
    },
    onRefused: (refusal) => void app.toasts.show(refusal.detail),
    onNewBuild: () =>
      void app.toasts.show('There is a new version of this page.', { label: 'Reload', run: () => location.reload() }, 60_000),
  });
  app.session.value = store;
  store.start();
  return () => store.stop();
}

function listen(app: App): void {
  const back = (): void => {
    if (document.visibilityState === 'visible') app.session.peek()?.nudge();
  };
  addEventListener('focus', back);
  addEventListener('online', back);
  addEventListener('pageshow', back);
  document.addEventListener('visibilitychange', back);
  addEventListener('pagehide', () => app.deletions.flush());
}

/** A hidden page draws no pictures, so there it is the next task. */
function withNextPicture(run: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(run);
  else setTimeout(run, 0);
}

function hex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import type { Highlighting } from '../lib/highlight.ts';
import type { Api } from './api.ts';
import type { Config } from './config.ts';
import type { Deletions } from './deletions.ts';
import type { Directory } from './directory.ts';
import type { Drafts } from './drafts.ts';
import type { Files } from './files.ts';
import type { Panel } from './panel.ts';
import type { Route } from './route.ts';
import type { SessionStore } from './session.ts';
import type { ThemeChoice } from './theme.ts';
import type { Toasts } from './toasts.ts';

/** Why the reader must sign in: nothing proved who they are, or no token would be accepted at all. */
export type SignInReason = 'needed' | 'refused' | 'not_configured';

/** Everything that the page shares. */
export interface App {
  readonly api: Api;
  readonly token: Signal<string | null>;
  readonly signIn: Signal<SignInReason | null>;
  readonly config: Signal<Config | null>;
  readonly route: Route;
  readonly session: Signal<SessionStore | null>;
  readonly directory: Directory;
  readonly deletions: Deletions;
  readonly drafts: Drafts;
  readonly toasts: Toasts;
  readonly theme: Signal<ThemeChoice>;
  readonly highlighting: Highlighting;
  /** What this tab is called for the others. */
  readonly me: string;
  /** Opens the session list as a sheet on a narrow page. */
  readonly railOpen: Signal<boolean>;
  readonly panel: Panel;
  /** The files of the session in view, once the panel has shown them. */
  readonly files: Signal<Files | null>;
  /** Shows the list of keys. */
  readonly helpOpen: Signal<boolean>;
  /** Asks the session that opens next to take the focus into its composer. */
  readonly compose: Signal<boolean>;
  /** Shows a session. */
  open(scope: string): void;
  /** Shows a new session, ready to be written in. */
  create(): void;
  /** Deletes a session, with a time to take it back; another one shows when it was in view. */
  remove(scope: string, title: string): void;
  /** Forgets the token. */
  signOut(): void;
}

const Shared = createContext<App | null>(null);

/** Gives the app to all below. */
export const AppProvider = Shared.Provider;

/** The app that a component stands in. */
export function useApp(): App {
  const app = useContext(Shared);
  if (app === null) throw new Error('No app above this component.');
  return app;
}

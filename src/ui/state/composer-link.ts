import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** What other parts of the page may do with the composer. All of it is asked for by the reader, so the focus may go there. */
export interface ComposerLink {
  /** Puts words into an empty composer, or behind what is there. */
  fill(text: string): void;
  /** Puts the reader's last message back, to be said in other words. */
  rephrase(): void;
  focus(): void;
}

const Shared = createContext<ComposerLink>({ fill: () => {}, rephrase: () => {}, focus: () => {} });

/** Gives the composer to all below. */
export const ComposerProvider = Shared.Provider;

/** The composer of the session in view. */
export function useComposerLink(): ComposerLink {
  return useContext(Shared);
}

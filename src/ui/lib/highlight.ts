import { type Signal, signal } from '@preact/signals';

/** A coloured piece of code: plain text, or a span with the names of its colours. */
export type CodeNode = string | { readonly classes: string; readonly children: readonly CodeNode[] };

/** Colours code in a language; null when it does not know the language. */
export type Highlighter = (code: string, lang: string) => readonly CodeNode[] | null;

/** What the library gives: a tree of texts and elements (hast). */
interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

/** Loads the colours when the first fence needs them; null until then. */
export class Highlighting {
  readonly ready: Signal<Highlighter | null> = signal(null);
  #asked = false;

  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    import('./highlight-languages.ts').then(
      ({ lowlight }) => {
        this.ready.value = (code, lang) =>
          lowlight.registered(lang) ? (lowlight.highlight(lang, code).children as readonly Node[]).map(codeNode) : null;
      },
      // Without colours the code is as readable; the next fence tries again.
      () => (this.#asked = false),
    );
  }
}

function codeNode(node: Node): CodeNode {
  if (node.type === 'text') return node.value ?? '';
  const names = node.properties?.className;
  return { classes: Array.isArray(names) ? names.join(' ') : '', children: (node.children ?? []).map(codeNode) };
}

/** An open fence above this many characters stays plain until it closes. */
export const openLimit = 6000;

/** The part of a fence that can be coloured now, and the rest: an open one is coloured by whole lines. */
export function colourable(code: string, open: boolean): readonly [whole: string, rest: string] {
  if (!open) return [code, ''];
  if (code.length > openLimit) return ['', code];
  const end = code.lastIndexOf('\n') + 1;
  return [code.slice(0, end), code.slice(end)];
}

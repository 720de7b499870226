import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

/** A document of the repository: its path from the root, and its text. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** The documents that people read. */
export function documents(): Document[] {
  const paths = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
  return paths.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The fenced blocks of a language, in order, without their fences. */
export function fenced(document: Document, language: string): string[] {
  return [...document.text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseSync } from 'vite';

/** The root of the repository. */
export const root = resolve(import.meta.dirname, '../..');

/** One import of a file, of any kind: static, re-export, dynamic, or in a type. */
export interface Import {
  /** As written: `./a.ts`, `zod`. */
  readonly specifier: string;
  /** Whether it is `import * as x`. */
  readonly namespace: boolean;
}

/** A source file, parsed. */
export interface Source {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Lines that say the type `any`, or silence the compiler or the linter. */
  readonly escapes: readonly number[];
}

/** The TypeScript files below the given folders of the repository. */
export function sources(...folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .map((path) => parse(path, readFileSync(join(root, path), 'utf8'))),
  );
}

/** @throws Error when the text is not TypeScript. */
export function parse(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const imports: Import[] = [];
  const escapes = comments.filter((comment) => silencing.test(comment.value)).map((comment) => lineAt(text, comment.start));
  walk(program, (node) => {
    if (node.type === 'TSAnyKeyword') escapes.push(lineAt(text, Number(node.start)));
    const source = node.type === 'TSImportType' ? (node.source ?? node.argument) : node.source;
    if (importing.has(String(node.type)) && isNode(source) && typeof source.value === 'string') {
      const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
      imports.push({
        specifier: source.value,
        namespace: specifiers.length > 0 && specifiers.every((specifier) => specifier.type === 'ImportNamespaceSpecifier'),
      });
    }
  });
  return { path, lines: text.split('\n').length - 1, imports, escapes };
}

const silencing = /^\s*(?:@ts-|oxlint-disable|eslint-disable|biome-ignore)/;

const importing = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ExportNamedDeclaration',
  'ImportExpression',
  'TSImportType',
]);

type Node = Record<string, unknown>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (isNode(value)) {
    if (typeof value.type === 'string') visit(value);
    for (const child of Object.values(value)) walk(child, visit);
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

import type { Hints, JsonObject } from '../../core/index.ts';
import { type Fit, all, known, some } from './fit.ts';
import { coversBelow, fitsPath, fitsText, reachesBelow } from './pattern.ts';
import type { Rule } from './rule.ts';

/** A call, as rules are asked about it. */
export interface JudgedCall {
  readonly tool: string;
  readonly hints: Hints;
  readonly input: JsonObject;
  /** The mode that the call is made in. */
  readonly mode: string;
}

/** Files that a call names. `below`: it means all that is in them, too. */
export interface NamedFiles {
  readonly paths: readonly string[];
  readonly below: boolean;
}

/** A command line, and the folder that it begins in; null: which one is not known. */
export interface CommandLine {
  readonly text: string;
  readonly root: string | null;
}

/** What rules can look into of the input of one tool. */
export interface ToolReader {
  /** The files that it names, relative to the root of the workspace; null: what it names cannot be read. */
  readonly files?: (input: JsonObject) => NamedFiles | null;
  /** The command line that it runs; null: there is none that can be read. */
  readonly command?: (input: JsonObject) => CommandLine | null;
}

/** The readers of tools, by name. */
export interface ToolReaders {
  readonly [tool: string]: ToolReader;
}

/** How far a call fits the conditions of a rule that are about the call as a whole: all but `shell`. */
export function fitsCall(rule: Rule, { tool, hints, input, mode }: JudgedCall, reader: ToolReader): Fit {
  const { tools, modes, paths } = rule;
  return all([
    known(tools === undefined || tools.some((pattern) => fitsText(pattern, tool))),
    known(modes === undefined || modes.includes(mode)),
    known(Object.entries(rule.hints ?? {}).every(([hint, wanted]) => (Reflect.get(hints, hint) ?? false) === wanted)),
    known(Object.entries(rule.input ?? {}).every(([place, pattern]) => fitsInput(pattern, input, place))),
    paths === undefined ? 'yes' : fitsFiles(paths, reader.files?.(input), rule.effect === 'allow'),
  ]);
}

function fitsInput(pattern: string, input: JsonObject, place: string): boolean {
  let value: unknown = input;
  for (const key of place.split('.')) {
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  if (value === undefined) return false;
  return fitsText(pattern, typeof value === 'string' ? value : JSON.stringify(value));
}

/** `named`: undefined for a tool that names no files. */
function fitsFiles(globs: readonly string[], named: NamedFiles | null | undefined, every: boolean): Fit {
  if (named === undefined) return 'no';
  if (named === null) return every ? 'no' : 'maybe';
  const { paths, below } = named;
  if (every) {
    const covered = below ? coversBelow : fitsPath;
    return known(paths.length > 0 && paths.every((path) => globs.some((glob) => covered(glob, path))));
  }
  return some(
    globs.flatMap((glob) =>
      paths.map((path): Fit => (fitsPath(glob, path) ? 'yes' : below && reachesBelow(glob, path) ? 'maybe' : 'no')),
    ),
  );
}

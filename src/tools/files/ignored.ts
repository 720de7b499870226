import { type IgnoreRules, ignoreRules, leftOut } from './ignore-rules.ts';
import type { Workspace } from './port.ts';
import { decode } from './raw.ts';

/** A longer `.gitignore` is taken for no such file. */
const longest = 262_144;

/** A folder on the way: whether it is left out, and the rules that hold in it, the nearest last. */
interface Folder {
  readonly ignored: boolean;
  readonly rules: readonly { readonly depth: number; readonly rules: IgnoreRules }[];
}

/**
 * What the `.gitignore` files of a project leave out, as git has it: those of deeper folders count more, and what is below a folder that is left out cannot be taken
 * back. `.git` is left out always. A path that was asked for outright, `outright`, is not, and neither are the folders above it.
 */
export class Ignored {
  readonly #files: Workspace;
  readonly #outright: string;
  readonly #folders = new Map<string, Promise<Folder>>();

  constructor(files: Workspace, outright: string) {
    this.#files = files;
    this.#outright = outright;
  }

  /** The judge of the entries of a folder; null when the folder itself is left out. */
  async inFolder(folder: string): Promise<((name: string, isFolder: boolean) => boolean) | null> {
    const state = await this.#folder(folder);
    if (state.ignored) return null;
    const names = folder === '' ? [] : folder.split('/');
    return (name, isFolder) => judge(state, [...names, name], isFolder);
  }

  #folder(path: string): Promise<Folder> {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const entered = this.#enter(path);
    this.#folders.set(path, entered);
    return entered;
  }

  async #enter(path: string): Promise<Folder> {
    const names = path === '' ? [] : path.split('/');
    const above = path === '' ? { ignored: false, rules: [] } : await this.#folder(names.slice(0, -1).join('/'));
    const asked = path === this.#outright || this.#outright.startsWith(`${path}/`);
    if (!asked && (above.ignored || judge(above, names, true))) return { ignored: true, rules: [] };
    const own = await this.#rules(path);
    return { ignored: false, rules: own.length === 0 ? above.rules : [...above.rules, { depth: names.length, rules: own }] };
  }

  async #rules(folder: string): Promise<IgnoreRules> {
    const path = folder === '' ? '.gitignore' : `${folder}/.gitignore`;
    const read = await this.#files.read(path, { offset: 0, length: longest + 1 });
    return read.ok && read.value.bytes.length <= longest ? ignoreRules(decode(read.value.bytes)) : [];
  }
}

function judge({ rules }: Folder, names: readonly string[], isFolder: boolean): boolean {
  if (names.at(-1) === '.git') return true;
  for (const { depth, rules: own } of rules.toReversed()) {
    const verdict = leftOut(own, names.slice(depth), isFolder);
    if (verdict !== null) return verdict;
  }
  return false;
}

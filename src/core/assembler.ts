import { isObject, type JsonObject, parseJson } from './json.ts';
import type { ProviderData } from './message.ts';
import type { Delta } from './model.ts';

/** A raw fragment of a tool call, as a provider streams it. */
export type CallFragment = Extract<Delta, { readonly type: 'tool_call' }>;

/** A call put together from fragments. `args` is the argument text so far. */
export class AssembledCall {
  readonly id: string;
  name = '';
  args = '';
  index: number | undefined;
  providerId: string | undefined;
  provider: ProviderData | undefined;
  #placeholder = false;
  readonly #scanner = new ObjectScanner();

  constructor(id: string) {
    this.id = id;
  }

  /** True when the arguments are one closed object that more text cannot extend; `{}` may be a placeholder and is not. */
  get closed(): boolean {
    return this.#scanner.closed && !this.holdsPlaceholder;
  }

  /** True when the arguments stop inside an object or a string: the reply was cut (FIN-09). */
  get cut(): boolean {
    return this.#scanner.open;
  }

  /** True while the arguments are a lone `{}` that came in one piece, which some servers send ahead of the true ones. */
  get holdsPlaceholder(): boolean {
    return this.#placeholder;
  }

  /** The parsed input; null when the text is not strictly one JSON object. No text at all counts as `{}` (TOOL-33). */
  input(): JsonObject | null {
    if (this.args.trim() === '') return {};
    const value = parseJson(this.args);
    return isObject(value) ? value : null;
  }

  append(text: string): void {
    if (this.#placeholder && text.trim() !== '') {
      this.args = '';
      this.#scanner.reset();
    }
    this.#placeholder = this.args === '' && text === '{}';
    this.args += text;
    this.#scanner.feed(text);
  }
}

/**
 * Joins the fragments of a reply's tool calls: by index, then by the provider's id, then to the last call (CC-05). Under a
 * known index a new id with a new name opens a new call, since some servers give every call the index 0.
 */
export class CallAssembler {
  readonly calls: AssembledCall[] = [];
  readonly #mint: () => string;

  constructor(mint: () => string) {
    this.#mint = mint;
  }

  /** Adds a fragment and gives the call it belongs to. */
  add(fragment: CallFragment): AssembledCall {
    const call = this.#find(fragment) ?? this.#open(fragment);
    if (call.name === '' && fragment.name) call.name = cleanName(fragment.name);
    if (call.providerId === undefined && fragment.id) call.providerId = fragment.id;
    if (fragment.provider !== undefined) call.provider = { ...call.provider, ...fragment.provider };
    if (fragment.args) call.append(fragment.args);
    return call;
  }

  #find(fragment: CallFragment): AssembledCall | undefined {
    const byId = fragment.id ? this.calls.findLast((call) => call.providerId === fragment.id) : undefined;
    if (fragment.index === undefined) {
      if (fragment.id) return byId;
      return startsAnother(this.calls.at(-1), fragment) ? undefined : this.calls.at(-1);
    }
    const byIndex = this.calls.findLast((call) => call.index === fragment.index);
    if (byIndex === undefined) return byId;
    return startsAnother(byIndex, fragment) ? byId : byIndex;
  }

  #open(fragment: CallFragment): AssembledCall {
    const call = new AssembledCall(this.#mint());
    call.index = fragment.index;
    this.calls.push(call);
    return call;
  }
}

/** A head (a name) under another id, or without an id on top of arguments that are already whole, is a new call. */
function startsAnother(call: AssembledCall | undefined, fragment: CallFragment): boolean {
  if (call === undefined || !fragment.name) return false;
  if (fragment.id) return call.providerId !== undefined && call.providerId !== fragment.id;
  const repeated = fragment.index !== undefined && cleanName(fragment.name) === call.name;
  const whole = call.closed || (call.holdsPlaceholder && !repeated);
  return whole && Boolean(fragment.args);
}

/** Some servers leak control marks of the chat format behind the name. */
function cleanName(name: string): string {
  return name.replace(/<\|.*$/s, '').trim();
}

/** Follows the nesting of one JSON object over pieces of text, in time linear in the text. */
class ObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;

  get closed(): boolean {
    return this.#started && this.#depth === 0 && !this.#inString;
  }

  get open(): boolean {
    return this.#inString || this.#depth > 0;
  }

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#started = false;
  }

  feed(text: string): void {
    for (const char of text) {
      if (this.#inString) this.#inside(char);
      else if (char === '"') this.#inString = true;
      else if (char === '{' || char === '[') this.#deeper();
      else if (char === '}' || char === ']') this.#depth -= 1;
    }
  }

  #deeper(): void {
    this.#started = true;
    this.#depth += 1;
  }

  #inside(char: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (char === '\\') this.#escaped = true;
    else if (char === '"') this.#inString = false;
  }
}

import { type Delta, isObject, type Json, type JsonObject, parseJson } from '../../core/index.ts';
import { dataFor, type Owner } from '../provider-data.ts';
import { textDeltas, textIn } from '../read.ts';

/** A content block of a reply as it comes in: each step gives the deltas it makes. */
export interface OpenBlock {
  /** What the block held when it was opened. */
  begin(): readonly Delta[];
  add(delta: JsonObject): readonly Delta[];
  /** The block is whole. */
  end(): readonly Delta[];
}

/** Opens a content block. One that we do not know is kept as it is, for the way back (RESP-07). */
export function openBlock(block: JsonObject, index: number, owner: Owner): OpenBlock {
  switch (block.type) {
    case 'text':
      return new OpenText(block, owner);
    case 'thinking':
      return new OpenThought(block, owner);
    case 'redacted_thinking':
      return new OpenRedacted(block, owner);
    case 'tool_use':
      return new OpenCall(block, index, owner);
    default:
      return new OpenUnknown(block, owner);
  }
}

const border: Delta = { type: 'border' };

/** Text; its citations come before it and are told at its end. */
class OpenText implements OpenBlock {
  readonly #start: JsonObject;
  readonly #owner: Owner;
  readonly #citations: Json[];

  constructor(start: JsonObject, owner: Owner) {
    this.#start = start;
    this.#owner = owner;
    this.#citations = Array.isArray(start.citations) ? [...(start.citations as readonly Json[])] : [];
  }

  begin(): readonly Delta[] {
    return textDeltas(this.#start.text);
  }

  add(delta: JsonObject): readonly Delta[] {
    if (delta.type === 'citations_delta' && delta.citation !== undefined) this.#citations.push(delta.citation);
    return delta.type === 'text_delta' ? textDeltas(delta.text) : [];
  }

  end(): readonly Delta[] {
    if (this.#citations.length === 0) return [border];
    return [{ type: 'text', text: '', provider: dataFor(this.#owner, { citations: this.#citations }) }, border];
  }
}

/** A thought; its signature comes last and proves that it is whole. */
class OpenThought implements OpenBlock {
  readonly #start: JsonObject;
  readonly #owner: Owner;

  constructor(start: JsonObject, owner: Owner) {
    this.#start = start;
    this.#owner = owner;
  }

  begin(): readonly Delta[] {
    return [...this.#thought(this.#start.thinking), ...this.#signed(this.#start.signature)];
  }

  add(delta: JsonObject): readonly Delta[] {
    if (delta.type === 'thinking_delta') return this.#thought(delta.thinking);
    return delta.type === 'signature_delta' ? this.#signed(delta.signature) : [];
  }

  end(): readonly Delta[] {
    return [border];
  }

  #thought(value: Json | undefined): readonly Delta[] {
    const text = textIn(value);
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }

  #signed(value: Json | undefined): readonly Delta[] {
    const signature = textIn(value);
    return signature === '' ? [] : [{ type: 'reasoning', text: '', provider: dataFor(this.#owner, { signature }) }];
  }
}

/** A thought that nobody here can read. */
class OpenRedacted implements OpenBlock {
  readonly #redacted: string;
  readonly #owner: Owner;

  constructor(start: JsonObject, owner: Owner) {
    this.#redacted = textIn(start.data);
    this.#owner = owner;
  }

  begin(): readonly Delta[] {
    if (this.#redacted === '') return [];
    return [{ type: 'reasoning', text: '', provider: dataFor(this.#owner, { redacted: this.#redacted }) }];
  }

  add(): readonly Delta[] {
    return [];
  }

  end(): readonly Delta[] {
    return [border];
  }
}

/** A call. Its input streams as text, or stands in the opening block when nothing streams. */
class OpenCall implements OpenBlock {
  readonly #start: JsonObject;
  readonly #index: number;
  readonly #owner: Owner;
  #streamed = false;

  constructor(start: JsonObject, index: number, owner: Owner) {
    this.#start = start;
    this.#index = index;
    this.#owner = owner;
  }

  begin(): readonly Delta[] {
    const { type: _type, id, name, input: _input, ...extra } = this.#start;
    const provider = Object.keys(extra).length === 0 ? {} : { provider: dataFor(this.#owner, extra) };
    return [{ type: 'tool_call', index: this.#index, id: textIn(id), name: textIn(name), ...provider }];
  }

  add(delta: JsonObject): readonly Delta[] {
    const args = delta.type === 'input_json_delta' ? textIn(delta.partial_json) : '';
    if (args === '') return [];
    this.#streamed = true;
    return [{ type: 'tool_call', index: this.#index, args }];
  }

  end(): readonly Delta[] {
    const { input } = this.#start;
    if (this.#streamed || !isObject(input) || Object.keys(input).length === 0) return [];
    return [{ type: 'tool_call', index: this.#index, args: JSON.stringify(input) }];
  }
}

/** Any other block, such as a tool of the server's and its result: told when it is whole. */
class OpenUnknown implements OpenBlock {
  #block: JsonObject;
  #json = '';
  readonly #owner: Owner;

  constructor(start: JsonObject, owner: Owner) {
    this.#block = start;
    this.#owner = owner;
  }

  begin(): readonly Delta[] {
    return [];
  }

  /** Texts grow, any other field takes its newest value. */
  add({ type, ...fields }: JsonObject): readonly Delta[] {
    if (type === 'input_json_delta') {
      this.#json += textIn(fields.partial_json);
      return [];
    }
    for (const [name, value] of Object.entries(fields)) {
      const before = this.#block[name];
      const grown = typeof before === 'string' && typeof value === 'string' ? before + value : value;
      this.#block = { ...this.#block, [name]: grown };
    }
    return [];
  }

  end(): readonly Delta[] {
    const input = parseJson(this.#json);
    const block = isObject(input) ? { ...this.#block, input } : this.#block;
    return [{ type: 'opaque', provider: dataFor(this.#owner, block) }];
  }
}

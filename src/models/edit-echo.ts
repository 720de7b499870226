/**
 * Takes a repeated edit off the front of a continuation. Servers differ, so the texts are compared (never assumed): while
 * what came is a beginning of the edit it is held, and let go whole when it turns out to be something else.
 */
export class EditEcho {
  readonly #edit: string;
  #held: string | null = '';

  constructor(edit: string) {
    this.#edit = edit;
  }

  /** The part of a text delta that is new; empty while that is not known. */
  add(text: string): string {
    if (this.#held === null) return text;
    this.#held += text;
    if (this.#edit.startsWith(this.#held)) return '';
    return this.#release();
  }

  /** What is held when the text is over: too short to be the edit, so it is new. */
  end(): string {
    return this.#held === null ? '' : this.#release();
  }

  #release(): string {
    const text = this.#held ?? '';
    this.#held = null;
    return text.startsWith(this.#edit) ? text.slice(this.#edit.length) : text;
  }
}

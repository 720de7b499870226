import type { JsonObject } from '../../core/index.ts';

/** A text that goes in. */
export interface InputText {
  readonly type: 'input_text';
  readonly text: string;
}

/** An image by its bytes, as a data URL, or by the id of a file. */
export type InputImage = { readonly type: 'input_image'; readonly detail: 'auto' } & (
  | { readonly image_url: string }
  | { readonly file_id: string }
);

/** A document, likewise. */
export type InputFile = { readonly type: 'input_file' } & (
  | { readonly filename: string; readonly file_data: string }
  | { readonly file_id: string }
);

/** What goes in, by a person or in the output of a call. */
export type InputContent = InputText | InputImage | InputFile;

/** A call. What else it held when it came stands beside. */
export interface FunctionCall {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly [extra: string]: unknown;
}

/** One item of the input; thoughts and items that we do not know go back as they came, without their ids. */
export type ResponsesItem =
  | { readonly type: 'message'; readonly role: 'user'; readonly content: readonly InputContent[] }
  | { readonly type: 'message'; readonly role: 'assistant'; readonly content: string; readonly phase?: string }
  | FunctionCall
  | {
      readonly type: 'function_call_output';
      readonly call_id: string;
      readonly output: string | readonly InputContent[];
    }
  | JsonObject;

/** A tool as it is offered. Strict is what the API takes a missing `strict` for, and our schemas are not made for it. */
export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict: false;
}

/** The body of a request, in the order in which its keys are sent; the operator's own come last. */
export interface ResponsesRequest {
  readonly model: string;
  readonly stream: true;
  readonly store: false;
  readonly include?: readonly 'reasoning.encrypted_content'[];
  readonly max_output_tokens?: number;
  readonly tools?: readonly ResponsesTool[];
  readonly instructions?: string;
  readonly input: readonly ResponsesItem[];
  readonly [extra: string]: unknown;
}

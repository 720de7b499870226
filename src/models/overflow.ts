/** How one family of servers says that a prompt does not fit its window. */
interface Overflow {
  readonly servers: string;
  /** Codes or types of the error object. */
  readonly codes?: readonly string[];
  /** What the sentence holds. */
  readonly text?: RegExp;
}

/** Sentences and codes of providers and servers, told apart only for those who mend the table. */
const overflows: readonly Overflow[] = [
  {
    servers: 'OpenAI, Azure, LiteLLM',
    codes: ['context_length_exceeded'],
    text: /maximum context length|exceeds the context window|context_?window_?exceeded/i,
  },
  { servers: 'OpenRouter, vLLM', text: /maximum (context|model) (length|len)|max(imum)?[ _]model[ _]len/i },
  { servers: 'llama.cpp', codes: ['exceed_context_size_error'], text: /exceeds? the (available )?context size/i },
  { servers: 'LM Studio', text: /greater than the context length|context length of only \d+/i },
  { servers: 'Ollama', text: /prompt (is )?too long|exceed(s|ed) (the )?max(imum)? context length/i },
  { servers: 'Groq', text: /reduce the length of the messages/i },
  { servers: 'xAI', text: /maximum prompt length/i },
  { servers: 'Mistral', text: /too large for model with \d+ maximum context/i },
  { servers: 'MiniMax, Kimi', text: /context window exceeds|exceed(s|ed) (the )?model token limit|token limit exceeded/i },
  { servers: 'Anthropic', text: /tokens > \d+ maximum|input length and .?max_tokens.? exceed/i },
  { servers: 'Google', text: /input token count.{0,40}exceeds the maximum/i },
  { servers: 'Bedrock, Cohere', text: /input is too long|total number of tokens.{0,60}exceed/i },
];

/** Sentences that name tokens and mean something else: a rate, a quota, the output limit. They outrank the table. */
const others: readonly RegExp[] = [
  /tokens per (minute|hour|day)|per[- ](minute|day)|rate.?limit|too many (tokens|requests)|throttl/i,
  /quota/i,
  /max_(completion_|output_)?tokens.{0,30}(is |are )?too (large|big|high)|output (token )?limit/i,
];

/** What is known of a refusal. `status` is 0 when it came inside a stream. */
export interface Refusal {
  readonly status: number;
  readonly codes: readonly string[];
  readonly text: string;
}

/** True when a refusal means that the prompt does not fit the model's window (CC-13). */
export function isOverflow({ status, codes, text }: Refusal): boolean {
  if (status === 429 || others.some((pattern) => pattern.test(text))) return false;
  if (status === 413) return true;
  return overflows.some((row) => row.codes?.some((code) => codes.includes(code)) === true || row.text?.test(text) === true);
}

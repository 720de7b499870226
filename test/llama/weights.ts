import { writeFile } from 'node:fs/promises';
import { writeGguf, type GgufTensor, type GgufValue } from './gguf.ts';
import { defaultLogit, states } from './successors.ts';
import { chatTemplate } from './template.ts';
import { beginOfText, endOfText, tokenId, turnEnd, vocabulary } from './vocabulary.ts';

const width = 128;
const heads = 4;
const feedForwardWidth = 128;
const trainedContext = 32_768;
const seed = 20_261_130;

/** How loud the random attention and feed-forward layers are, next to the states' 1. */
const layerNoise = 0.002;

/** Logits are read from a normalised vector, whose one loud component is about this large. */
const loudComponent = Math.sqrt(width);

/**
 * A llama-architecture model of one layer as a GGUF file: the same bytes on every call.
 *
 * The embedding puts each token into one state, the output matrix holds each state's next tokens, and
 * the layer between adds seeded noise. Greedy text, reasoning and calls therefore end by themselves.
 */
export function makeWeights(): Uint8Array {
  if (states.length > width) throw new Error(`${states.length} states do not fit ${width} dimensions`);
  return writeGguf(metadata(), tensors());
}

function metadata(): Map<string, GgufValue> {
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const text = (value: string): GgufValue => ({ type: 'string', value });
  const no: GgufValue = { type: 'bool', value: false };
  return new Map<string, GgufValue>([
    ['general.architecture', text('llama')],
    ['general.name', text('reins-test')],
    ['llama.vocab_size', u32(vocabulary.length)],
    ['llama.context_length', u32(trainedContext)],
    ['llama.embedding_length', u32(width)],
    ['llama.block_count', u32(1)],
    ['llama.feed_forward_length', u32(feedForwardWidth)],
    ['llama.attention.head_count', u32(heads)],
    ['llama.attention.head_count_kv', u32(heads)],
    ['llama.attention.layer_norm_rms_epsilon', { type: 'f32', value: 1e-5 }],
    ['llama.rope.dimension_count', u32(width / heads)],
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', { type: 'strings', value: vocabulary.map((token) => token.text) }],
    ['tokenizer.ggml.scores', { type: 'f32s', value: vocabulary.map((_, id) => -id) }],
    ['tokenizer.ggml.token_type', { type: 'i32s', value: vocabulary.map((token) => token.kind) }],
    ['tokenizer.ggml.unknown_token_id', u32(0)],
    ['tokenizer.ggml.bos_token_id', u32(tokenId(beginOfText))],
    ['tokenizer.ggml.eos_token_id', u32(tokenId(endOfText))],
    ['tokenizer.ggml.eot_token_id', u32(tokenId(turnEnd))],
    ['tokenizer.ggml.add_bos_token', no],
    ['tokenizer.ggml.add_eos_token', no],
    // Trap: with a space prefix the generation prompt does not fit its grammar and samplers fail to start.
    ['tokenizer.ggml.add_space_prefix', no],
    ['tokenizer.chat_template', text(chatTemplate)],
  ]);
}

function tensors(): GgufTensor[] {
  const random = normalNumbers(seed);
  const matrix = (name: string, inputs: number, outputs: number, scale: number): GgufTensor => ({
    name,
    shape: [inputs, outputs],
    data: Float32Array.from({ length: inputs * outputs }, () => (random() * scale) / Math.sqrt(inputs)),
  });
  const ones = (name: string): GgufTensor => ({ name, shape: [width], data: new Float32Array(width).fill(1) });
  return [
    { name: 'token_embd.weight', shape: [width, vocabulary.length], data: embedding(random) },
    ones('blk.0.attn_norm.weight'),
    matrix('blk.0.attn_q.weight', width, width, 1),
    matrix('blk.0.attn_k.weight', width, width, 1),
    matrix('blk.0.attn_v.weight', width, width, 1),
    matrix('blk.0.attn_output.weight', width, width, layerNoise),
    ones('blk.0.ffn_norm.weight'),
    matrix('blk.0.ffn_gate.weight', width, feedForwardWidth, 1),
    matrix('blk.0.ffn_up.weight', width, feedForwardWidth, 1),
    matrix('blk.0.ffn_down.weight', feedForwardWidth, width, layerNoise),
    ones('output_norm.weight'),
    { name: 'output.weight', shape: [width, vocabulary.length], data: outputMatrix() },
  ];
}

function embedding(random: () => number): Float32Array {
  const rows = Float32Array.from({ length: width * vocabulary.length }, () => random() * layerNoise);
  states.forEach((state, dimension) => {
    for (const text of state.tokens) rows[tokenId(text) * width + dimension] = 1;
  });
  return rows;
}

function outputMatrix(): Float32Array {
  const rows = new Float32Array(width * vocabulary.length);
  states.forEach((state, dimension) => {
    vocabulary.forEach((token, id) => {
      rows[id * width + dimension] = (state.next[token.text] ?? defaultLogit(token)) / loudComponent;
    });
  });
  return rows;
}

/** Normally distributed numbers from a small fixed generator (mulberry32, Box-Muller). */
function normalNumbers(start: number): () => number {
  let counter = start;
  const uniform = (): number => {
    counter = (counter + 0x6d2b79f5) | 0;
    let mixed = Math.imul(counter ^ (counter >>> 15), 1 | counter);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

if (import.meta.main) {
  const target = process.argv[2];
  if (target === undefined) throw new Error('usage: npx node test/llama/weights.ts OUT.gguf');
  const bytes = makeWeights();
  await writeFile(target, bytes);
  console.log(`${target}: ${bytes.length} bytes, ${vocabulary.length} tokens, ${states.length} states`);
}

import type { CatalogProvider, Facts, Price } from './types.ts';

/**
 * What the catalogue holds beside the package it is made from: which providers, what holds for all models of one, and facts that
 * the package has not, or has no more. `npm run catalog` puts them into `catalog.json`.
 *
 * Facts come from the providers' pages about their models, collected by the project models.dev (MIT licence), and from what
 * `chat/hosts.ts` and `messages/claude.ts` know. What nobody says stays away: unknown is an answer.
 */

/** A provider that Reins can speak to, by the package's id. */
export type ProviderChoice = Omit<CatalogProvider, 'fallback' | 'models'>;

export const providers: readonly ProviderChoice[] = [
  { id: 'anthropic', cacheBesideInput: true, facts: { parallelCalls: true } },
  { id: 'openai', facts: { prefill: 'none' } },
  { id: 'google', facts: { parallelCalls: true } },
  { id: 'mistral', facts: { prefill: 'flag', parallelCalls: true } },
  { id: 'groq', facts: { prefill: 'implicit' } },
  { id: 'deepseek', facts: { prefill: 'flag', images: false } },
  { id: 'x-ai', aliases: ['xai'], facts: { prefill: 'none', parallelCalls: true } },
  { id: 'openrouter' },
  { id: 'cloudflare', aliases: ['workers-ai'] },
  { id: 'aws', aliases: ['bedrock'] },
  { id: 'azure' },
  { id: 'cerebras' },
  { id: 'moonshotai', aliases: ['moonshot'] },
  { id: 'zai' },
  { id: 'minimax' },
];

/**
 * Facts of models, `<provider>/<model>` with `*` for any characters and `?` for one; of two that name a model the later
 * one counts, fact by fact. A name without either that the package does not hold adds the model.
 */
export interface Override {
  readonly models: readonly string[];
  readonly facts: Facts;
  /** In place of the package's. */
  readonly prices?: readonly Price[];
}

const oldClaude: Facts = { images: true, thinking: 'none', prefill: 'implicit', output: 4096, parallelCalls: true };
const budgetClaude: Facts = { ...oldClaude, thinking: 'budget', output: 64_000 };
const newClaude: Facts = { ...budgetClaude, thinking: 'adaptive', prefill: 'none', output: 128_000 };

const claude: readonly Override[] = [
  { models: ['*claude-3-haiku*', '*claude-3-opus*', '*claude-3-sonnet*'], facts: oldClaude },
  { models: ['*claude-3?5-*'], facts: { ...oldClaude, output: 8192 } },
  { models: ['*claude-3?7-*', '*claude-sonnet-4*', '*claude-4-sonnet*', '*claude-haiku-4?5*'], facts: budgetClaude },
  { models: ['*claude-opus-4*', '*claude-4-opus*'], facts: { ...budgetClaude, output: 32_000 } },
  { models: ['*claude-opus-4?5*'], facts: { output: 64_000 } },
  { models: ['*claude-sonnet-4?6*'], facts: { ...newClaude, output: 64_000 } },
  { models: ['*claude-opus-4?6*', '*claude-opus-4?7*', '*claude-opus-4?8*'], facts: newClaude },
  {
    models: ['*claude-opus-5*', '*claude-sonnet-5*', '*claude-fable-*', '*claude-opus-latest', '*claude-sonnet-latest'],
    facts: newClaude,
  },
  {
    models: ['anthropic/claude-fable-5-2'],
    facts: { ...newClaude, window: 1_000_000 },
    prices: [{ input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 }],
  },
  {
    models: ['anthropic/claude-sonnet-5-5'],
    facts: { ...newClaude, window: 1_000_000 },
    prices: [
      { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
      { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, from: '2026-10-07' },
    ],
  },
  {
    models: ['anthropic/claude-haiku-5-5'],
    facts: { ...newClaude, window: 1_000_000 },
    prices: [
      {
        input: { base: 0.1, tiers: [{ over: 100_000, price: 0.5 }] },
        output: { base: 0.5, tiers: [{ over: 100_000, price: 2.5 }] },
        cacheRead: { base: 0.01, tiers: [{ over: 100_000, price: 0.05 }] },
        cacheWrite: { base: 0.125, tiers: [{ over: 100_000, price: 0.625 }] },
      },
    ],
  },
];

const plainGpt: Facts = { images: true, thinking: 'none', prefill: 'none', parallelCalls: true };
const thinkingGpt: Facts = { ...plainGpt, thinking: 'effort', output: 128_000 };

/** Above 272,000 tokens a request costs twice as much for what goes in, and half as much again for what comes out. */
function long(input: number, output: number, cacheRead: number, cacheWrite: number): readonly Price[] {
  const rate = (base: number, times: number) => ({ base, tiers: [{ over: 272_000, price: base * times }] });
  return [{ input: rate(input, 2), output: rate(output, 1.5), cacheRead: rate(cacheRead, 2), cacheWrite: rate(cacheWrite, 2) }];
}

const gpt: readonly Override[] = [
  { models: ['*openai/gpt-3.5*', '*openai/gpt-4', '*openai/gpt-4-32k'], facts: { ...plainGpt, images: false } },
  { models: ['*openai/gpt-3.5*', '*openai/gpt-4-turbo', '*openai/gpt-4o-2024-05-13'], facts: { output: 4096 } },
  { models: ['*openai/gpt-4'], facts: { output: 8192 } },
  {
    models: ['*openai/gpt-4-turbo', '*openai/gpt-4.1*', '*openai/gpt-4o', '*openai/gpt-4o-mini', '*openai/gpt-4o-2024*'],
    facts: plainGpt,
  },
  { models: ['*openai/gpt-4o', '*openai/gpt-4o-mini'], facts: { output: 16_384 } },
  { models: ['*openai/gpt-4.1*'], facts: { output: 32_768, window: 1_047_576 } },
  {
    models: ['*openai/o1*', '*openai/o3*', '*openai/o4*'],
    facts: { thinking: 'effort', prefill: 'none', images: true, output: 100_000 },
  },
  { models: ['*openai/o1-mini*', '*openai/o1-preview*'], facts: { images: false, output: 65_536 } },
  { models: ['*openai/o3-mini*'], facts: { images: false } },
  { models: ['*openai/gpt-5*', '*openai/gpt-6*'], facts: thinkingGpt },
  { models: ['*openai/gpt-5-pro'], facts: { output: 272_000 } },
  { models: ['*openai/gpt-5.3', '*openai/gpt-5.3-chat'], facts: { thinking: 'none', output: 16_384 } },
  { models: ['*gpt-oss-*'], facts: { images: false, thinking: 'effort' } },
  { models: ['openai/gpt-6.1-sol', 'openai/gpt-6.2-sol'], facts: { window: 1_050_000 }, prices: long(2, 10, 0.1, 2.5) },
  { models: ['openai/gpt-6.1-terra'], facts: { window: 1_050_000 }, prices: long(1, 5, 0.05, 1.25) },
  { models: ['openai/gpt-6.2-astra'], facts: { window: 1_050_000 }, prices: long(8, 40, 0.4, 10) },
];

/** The package has the windows of some of them rounded. */
const geminiFacts: Facts = { images: true, parallelCalls: true, window: 1_048_576 };

const gemini: readonly Override[] = [
  {
    models: ['*gemini-2.0-flash*', '*gemini-1.5-flash*', '*gemini-flash-1.5*'],
    facts: { ...geminiFacts, thinking: 'none', output: 8192 },
  },
  { models: ['*gemini-2.5-*'], facts: { ...geminiFacts, thinking: 'budget', output: 65_536 } },
  {
    models: ['*gemini-3*', '*gemini-flash-latest', '*gemini-pro-latest'],
    facts: { ...geminiFacts, thinking: 'level', output: 65_536 },
  },
  { models: ['*gemini-2.5-flash-image*'], facts: { window: 32_768, output: 32_768, thinking: 'none' } },
  { models: ['*gemini-3-pro-image*'], facts: { window: 65_536, output: 32_768, thinking: 'budget' } },
  { models: ['*gemini-3.1-flash-image*', '*gemini-3.1-flash-lite-image*'], facts: { window: 65_536, output: 65_536 } },
  {
    models: ['google/gemini-4-argon', 'google/gemini-4-carbon'],
    facts: { ...geminiFacts, thinking: 'level', output: 65_536 },
    prices: [
      { input: 2, output: 10, cacheRead: 0.1 },
      { input: 4, output: 20, cacheRead: 0.2, from: '2026-12-01' },
    ],
  },
  {
    models: ['google/gemini-4-hydrogen'],
    facts: { ...geminiFacts, thinking: 'level', output: 65_536 },
    prices: [{ input: 1.5, output: 7.5, cacheRead: 0.075 }],
  },
];

const mistral: readonly Override[] = [
  { models: ['mistral/*', 'openrouter/mistralai/*'], facts: { thinking: 'none' } },
  {
    models: ['*codestral*', '*devstral*', '*mistral-7b*', '*mixtral-*', '*mistral-nemo*', '*ministral-?b'],
    facts: { images: false },
  },
  {
    models: [
      'mistral/mistral-large-2512',
      'mistral/mistral-medium*',
      'mistral/mistral-small-2603',
      '*mistral-small-3.?-*',
      '*pixtral-*',
    ],
    facts: { images: true },
  },
  { models: ['mistral/mistral-medium-latest'], facts: { window: 262_144 } },
  { models: ['mistral/mistral-small-latest'], facts: { window: 256_000, images: true, thinking: 'effort' } },
  {
    models: [
      'mistral/mistral-small-2603',
      'mistral/mistral-medium-3-5',
      'openrouter/mistralai/mistral-small-2603',
      'openrouter/mistralai/mistral-medium-3-5',
    ],
    facts: { thinking: 'effort' },
  },
  { models: ['mistral/mistral-large'], facts: { window: 131_072, images: false } },
  { models: ['*magistral-*'], facts: { thinking: 'always' } },
  { models: ['mistral/magistral-medium', 'mistral/pixtral-*', 'mistral/mistral-nemo'], facts: { window: 128_000 } },
];

const others: readonly Override[] = [
  // Both names mean the fourth generation by now, and cost what it costs.
  {
    models: ['deepseek/deepseek-chat', 'deepseek/deepseek-reasoner'],
    facts: { window: 1_000_000, output: 384_000 },
    prices: [{ input: 0.14, output: 0.28, cacheRead: 0.0028 }],
  },
  { models: ['deepseek/deepseek-chat'], facts: { thinking: 'none' } },
  { models: ['deepseek/deepseek-reasoner'], facts: { thinking: 'always' } },
  { models: ['deepseek/deepseek-v4-*'], facts: { thinking: 'switch', output: 384_000 } },

  { models: ['*x-ai/grok-2-1212', '*x-ai/grok-3*', '*x-ai/grok-code-fast-1'], facts: { images: false } },
  { models: ['*x-ai/grok-2-vision*', '*x-ai/grok-4*', '*x-ai/grok-build-0.1'], facts: { images: true } },
  { models: ['*x-ai/grok-2*', '*x-ai/grok-3', '*x-ai/grok-3-fast', '*x-ai/grok-*-non-reasoning'], facts: { thinking: 'none' } },
  {
    models: ['*x-ai/grok-4-0709', '*x-ai/grok-4*-fast-reasoning', '*x-ai/grok-code-fast-1', '*x-ai/grok-build-0.1'],
    facts: { thinking: 'always' },
  },
  { models: ['*x-ai/grok-3-mini*', '*x-ai/grok-4.3', '*x-ai/grok-4.20-multi-agent'], facts: { thinking: 'effort' } },

  { models: ['groq/llama-3.1-8b-instant'], facts: { window: 131_072, output: 131_072 } },
  { models: ['groq/llama-3.3-70b-versatile'], facts: { window: 131_072, output: 32_768 } },
  { models: ['groq/llama-3*'], facts: { thinking: 'none', images: false } },
  { models: ['groq/meta-llama/llama-4-*'], facts: { window: 131_072, output: 8192, thinking: 'none', images: true } },
  { models: ['groq/openai/gpt-oss-*'], facts: { output: 65_536 } },
  { models: ['groq/qwen/qwen3-32b'], facts: { output: 40_960, thinking: 'effort', images: false } },

  { models: ['cloudflare/@cf/meta/llama-3.2-11b-vision-instruct'], facts: { window: 128_000, images: true, thinking: 'none' } },
  {
    models: ['cloudflare/@cf/meta/llama-4-scout-17b-16e-instruct'],
    facts: { window: 131_000, output: 16_384, images: true, thinking: 'none' },
  },
  { models: ['cloudflare/@cf/mistralai/mistral-small-3.1-24b-instruct'], facts: { window: 128_000, thinking: 'none' } },
  {
    models: ['cloudflare/@cf/moonshotai/kimi-k2.6', 'cloudflare/@cf/moonshotai/kimi-k2.7-code'],
    facts: { window: 262_144, images: true, thinking: 'switch' },
  },
  { models: ['cloudflare/@cf/nvidia/nemotron-3-120b-a12b'], facts: { window: 256_000, images: false, thinking: 'switch' } },
  { models: ['cloudflare/@cf/zai-org/glm-4.7-flash'], facts: { images: false, thinking: 'switch' } },
  { models: ['cloudflare/@cf/zai-org/glm-5.2'], facts: { window: 262_144, images: false, thinking: 'switch' } },
  { models: ['cloudflare/@cf/qwen/qwen3-30b-a3b-fp8'], facts: { window: 32_768, images: false } },
  { models: ['cloudflare/@cf/google/gemma-4-*'], facts: { images: true, thinking: 'switch', output: 16_384 } },

  { models: ['moonshotai/kimi-k2-*'], facts: { images: false } },
  { models: ['moonshotai/kimi-k2.*'], facts: { images: true } },
  { models: ['moonshotai/kimi-k2.5', 'moonshotai/kimi-k2.6'], facts: { thinking: 'switch' } },
  { models: ['moonshotai/kimi-k2-thinking*', 'moonshotai/kimi-k2.7-code*'], facts: { thinking: 'always' } },
  { models: ['moonshotai/kimi-k2-0*', 'moonshotai/kimi-k2-turbo*', 'moonshotai/moonshot-*'], facts: { thinking: 'none' } },
  { models: ['zai/glm-5.2'], facts: { thinking: 'effort', output: 131_072, images: false } },
  { models: ['minimax/minimax-m2*'], facts: { thinking: 'always', images: false } },
  { models: ['minimax/minimax-m3'], facts: { thinking: 'switch', images: true } },
];

/** All of them, in the order in which they are laid over each other. */
export const overrides: readonly Override[] = [...claude, ...gpt, ...gemini, ...mistral, ...others];

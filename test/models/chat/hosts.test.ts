import { describe, expect, test } from 'vitest';
import { type Host, hostFor, hosts } from '../../../src/models/index.ts';

describe('CC-02 the preset of a base URL', () => {
  test.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://my-name.openai.azure.com/openai/v1', 'openai'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.deepseek.com/beta', 'deepseek'],
    ['https://api.groq.com/openai/v1', 'groq'],
    ['https://api.mistral.ai/v1', 'mistral'],
    ['https://api.x.ai/v1', 'xai'],
    ['https://api.cloudflare.com/client/v4/accounts/a/ai/v1', 'workers_ai'],
    ['http://localhost:11434/v1', 'ollama'],
    ['http://127.0.0.1:8080/v1', 'generic'],
    ['https://notopenrouter.ai/v1', 'generic'],
    ['https://api.openai.com.example.net/v1', 'generic'],
  ])('%s is %s', (url, name) => {
    expect(hostFor(new URL(url))).toBe(name);
  });
});

describe('the table', () => {
  test('INTR-10 INTR-11 says how each host continues a reply', () => {
    const how = Object.entries(hosts).map(([name, host]: [string, Host]) => [name, host.continuation.how]);
    expect(Object.fromEntries(how)).toEqual({
      openai: 'none',
      xai: 'none',
      workers_ai: 'none',
      llama_cpp: 'last',
      exl3: 'last',
      ollama: 'last',
      openrouter: 'last',
      groq: 'last',
      generic: 'last',
      vllm: 'flags',
      deepseek: 'prefix',
      mistral: 'prefix',
    });
  });

  test('INTR-11 never sets both flags of vLLM', () => {
    expect(hosts.vllm.continuation).toMatchObject({ flags: { continue_final_message: true, add_generation_prompt: false } });
  });
});

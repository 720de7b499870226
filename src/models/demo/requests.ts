import { call, muse, say, type Script } from './script.ts';
import { longText, markdownSample, thoughts } from './texts.ts';

/** A plain request that the demo model follows. To add one, add an entry. */
export interface DemoRequest {
  /** What a person may type, word for word. */
  readonly say: string;
  /** What it shows, in a few words. */
  readonly shows: string;
  /** What is understood; the first entry that matches wins. */
  readonly pattern: RegExp;
  /** The tools it calls: it is offered only where all of them are. */
  readonly tools?: readonly string[];
  readonly script: (match: RegExpExecArray) => Script;
}

const defaultWait = 5;
const longestWait = 300;

/** The requests, in the order in which they are tried and listed. */
export const requests: readonly DemoRequest[] = [
  {
    say: 'two calls at once',
    shows: 'tool calls that run beside each other',
    pattern: /\b(two|both|several|parallel)\b.*\bcalls?\b/i,
    tools: ['clock', 'wait'],
    script: () => [say('I look at the clock and wait at the same time.'), call('clock'), call('wait', { seconds: 3 })],
  },
  {
    say: 'wait 5 seconds',
    shows: 'a tool that reports progress, and can be stopped',
    pattern: /\bwait\b(?:\D*?(\d+(?:\.\d+)?)|\W*$)/i,
    tools: ['wait'],
    script: ([, number]) => {
      const seconds = Math.min(Number(number ?? defaultWait), longestWait);
      return [say(`I wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`), call('wait', { seconds })];
    },
  },
  {
    say: 'what time is it?',
    shows: 'a tool call',
    pattern: /\bclock\b|\bwhat(?:'s| is)? the (?:time|date)\b|\bwhat (?:time|day)\b/i,
    tools: ['clock'],
    script: () => [say('I look at the clock.'), call('clock')],
  },
  {
    say: 'ask me an open question',
    shows: 'a question with a free answer',
    pattern: /\bask me\b.*\b(?:open|anything|free|name)\b/i,
    tools: ['ask_user'],
    script: () => [call('ask_user', { question: 'What should I call you?' })],
  },
  {
    say: 'ask me',
    shows: 'a question with choices',
    pattern: /\bask me\b/i,
    tools: ['ask_user'],
    script: () => [
      say('I have a question.'),
      call('ask_user', { question: 'Which colour do you like best?', choices: ['red', 'green', 'blue'] }),
    ],
  },
  {
    say: 'write a note: buy milk',
    shows: 'a call that needs your approval',
    pattern: /\b(?:write|save|keep|make|take)\b.*?\bnote\b[:,]?\s*(.*)/is,
    tools: ['write_note'],
    script: ([, text]) => [
      say('I write that down, if you allow it.'),
      call('write_note', { text: (text ?? '').trim() || 'The demo model was here.' }),
    ],
  },
  {
    say: 'read the notes',
    shows: 'what the session keeps',
    pattern: /\b(?:read|show|list)\b.*\bnotes\b/i,
    tools: ['read_notes'],
    script: () => [call('read_notes')],
  },
  {
    say: 'say something long',
    shows: 'a reply to stop, edit, resume or steer',
    pattern: /\b(?:something|a) long\b|\b(?:story|essay)\b/i,
    script: () => [say(longText)],
  },
  {
    say: 'think first',
    shows: 'reasoning before the answer',
    pattern: /^(?:please )?think\b|\bthink (?:first|about|hard|aloud)\b/i,
    script: () => [muse(thoughts), say('I thought about it, and the answer is: forty-two.')],
  },
  {
    say: 'show me markdown',
    shows: 'headings, a list, a table, code',
    pattern: /\bmarkdown\b/i,
    script: () => [say(markdownSample)],
  },
  {
    say: 'be slow',
    shows: 'a model that takes its time',
    pattern: /\bbe slow\b|\bslowly\b/i,
    script: () => [say('I take … my … time … so … that … you … can … change … your … mind.', 1000)],
  },
  {
    say: 'be cut off',
    shows: 'a reply that ends at the token limit',
    pattern: /\bcut off\b|\btoken limit\b/i,
    script: () => [say('This sentence reaches the token limit before it'), { type: 'finish', finish: 'length' }],
  },
  {
    say: 'refuse',
    shows: 'a refusal',
    pattern: /^(?:please )?refuse\b/i,
    script: () => [say('I will not do that.'), { type: 'finish', finish: 'refusal' }],
  },
  {
    say: 'break off',
    shows: 'a connection that breaks in the middle of a reply',
    pattern: /\bbreak off\b/i,
    script: () => [
      say('The connection breaks after this sentence, and what you see of it will not count.'),
      { type: 'fail', kind: 'transport_error', message: 'The demo model broke off, as asked.', retryAfter: null },
    ],
  },
  {
    say: 'hit a rate limit',
    shows: 'a failure that is worth another try',
    pattern: /\brate.?limit\b/i,
    script: () => [
      { type: 'fail', kind: 'rate_limited', message: 'The demo model refuses for a rate limit, as asked.', retryAfter: 1000 },
    ],
  },
  {
    say: 'fail',
    shows: 'a failed turn, with Retry',
    pattern: /^(?:please )?fail\b/i,
    script: () => [
      {
        type: 'fail',
        kind: 'model_error',
        message: 'The demo model failed, as asked. It fails again on Retry.',
        retryAfter: null,
      },
    ],
  },
];

/** A request for the introduction, beside the first message of a conversation. */
export const help = /\bhelp\b|\bwhat can you do\b/i;

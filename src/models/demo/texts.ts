/** Begins the first reply of a conversation that starts with a request the demo model follows. */
export const preface =
  'No language model is connected: I am the built-in demo model. Set `HARNESS_OPENAI_URL` and `HARNESS_MODEL` to connect one, or say `help` for what I can do.\n\n';

/** The start of the reply that introduces the demo model; the list of requests follows. */
export const introduction = `**No language model is connected.** I am the built-in demo model: a script, without a network and without understanding, that shows what this harness does.

To talk to a real model, start the server with the address of any Chat Completions endpoint and the name of a model:

\`\`\`sh
HARNESS_OPENAI_URL=http://127.0.0.1:8080/v1 HARNESS_MODEL=my-model npm start
\`\`\`

Until then I follow these requests:

`;

/** What the demo model says to anything it has no script for. */
export const shrug =
  'I am only the demo model and do not understand free text: no language model is connected. Say `help` for the requests that I follow.';

/** A long reply, to watch, stop, edit, resume and steer. */
export const longText = `Here is something long, so that there is time to try what the buttons do while it streams.

You read this because the session sends it word by word. The reply does not belong to this tab: the run lives in the session, on the server. Open the same address in a second tab and it shows the same words at the same moment. Close both and the reply goes on; come back and it is there, complete, as if you had never left.

Press Interrupt and the reply stops where it is. What arrived is not thrown away. It is kept beside the conversation as a draft that you may edit: change a word, cut a sentence, write the beginning of another one. Press Resume and I go on from your text, not from mine. Nothing is added behind your back to make that work; a model that cannot continue a reply says so, and you are offered another way.

Press Stop instead and the step is gone, as if it had not been asked. The conversation holds complete steps only, and every tool call in it has its result. That is dull to read and very useful to have, because it means that whatever happened, the next request is one that a model accepts.

Type a line while I talk and send it. It steers: at the next boundary between two steps it lands in the conversation, calls that have not started yet are skipped, and the answer is about your line. Or queue it. Then it waits until I am done, and opens a step of its own. Both are listed while they wait, and until they land you can change or drop them.

If the connection breaks, nothing is lost either. Every event has a number. A tab that comes back names the last one it saw and gets what came after it, once and in order. If the server itself goes away in the middle of a word, the session knows when it wakes up that this turn has no owner any more, and it says so instead of waiting for ever.

That is all. It was long enough to press something, and short enough not to be in your way.`;

/** Reasoning that precedes a short answer. */
export const thoughts = `The user wants to see me think. I have no thoughts, but I can show where they would stand. First, the question: it asks for a demonstration. Second, the means: reasoning comes in pieces of its own kind, before the text. Third, the reader: most people want it folded away, and to open it when the answer surprises them. So a few sentences will do, and then a plain answer.`;

/** One of everything that a page renders. */
export const markdownSample = `# A heading

Some **bold** text, some *italic* text, some \`inline code\`, and [a link](https://example.com/).

## A list

1. First, with
   - a nested point, and
   - another one.
2. Second.
3. Third.

- [x] a task that is done
- [ ] a task that is not

## A table

| What        | Unit   | Value |
| ----------- | ------ | ----: |
| Requests    | count  |    12 |
| First token | ms     |   340 |
| Cost        | tokens | 1,024 |

## Code

\`\`\`ts
/** The sum of a list of numbers; 0 for an empty one. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
\`\`\`

> A quotation, with a line
> that goes on.

---

Raw HTML stays text: <b>not bold</b>, <script>alert('not run')</script>.
`;

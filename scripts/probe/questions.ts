/** What the probes ask, in every format. Each answer is short, and shows one thing. */
export const questions = {
  hello: 'Reply with one word: ready.',
  /** Longer than the limit it is asked under. */
  count: 'Count from one to one hundred in English words, without anything else.',
  weather: 'What is the weather in Paris and in Rome? Call get_weather once for each city, both at once.',
  picture: 'What colour is this picture? Reply with one word.',
} as const;

/** The tokens of a reply that shows that a limit is kept. */
export const lowLimit = 16;

/** The tokens that a reply may take elsewhere; thoughts count. */
export const highLimit = 1024;

/** A tool that no endpoint knows. */
export const weatherTool = {
  name: 'get_weather',
  description: 'The weather of one city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

/** The beginning of a reply that no model would choose, so that going on and beginning anew differ. */
export const edit = {
  asked: 'Count from one to ten in English words.',
  begun: 'Zebra, zebra: one, two, three, four,',
  next: /^\W*five/i,
};

/** A picture of one red pixel, PNG in base64. */
export const redPixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Said where no window was named. */
export const notAsked = 'How it refuses a prompt that is too long was not asked: name its window with --window.';

/** A text of about `tokens` tokens, and of more rather than less. */
export function longText(tokens: number): string {
  return 'word '.repeat(Math.ceil(tokens * 1.1));
}

/** How a reply that continues an edit compares with it. */
export function continuation(text: string): 'continued' | 'echoed' | 'anew' {
  if (text.startsWith(edit.begun.slice(0, 12))) return 'echoed';
  return edit.next.test(text) ? 'continued' : 'anew';
}

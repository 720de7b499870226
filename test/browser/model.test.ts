import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../../src/testing/gate.ts';
import { type FakeOpenAI, startFakeOpenAI, words } from '../e2e/fake-openai.ts';
import { type Server, startServer } from './server.ts';
import { freshSession, launch, missing, Tab } from './tab.ts';

describe.skipIf(missing !== null)('a connected model that cannot continue a reply', () => {
  let model: FakeOpenAI;
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    model = await startFakeOpenAI();
    [server, browser] = await Promise.all([
      startServer({ HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'openai' }),
      launch(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await model?.close();
  });

  it('INTR-15 is offered the edit as a finished message instead, and asked in words that the person sees', async () => {
    model.reply(words('One, two, three'), new Gate());
    model.reply(words('Four, five.'));
    const tab = await Tab.open(browser, freshSession(server.address));
    expect(await tab.page.getByRole('complementary', { name: 'No language model' }).count()).toBe(0);
    await tab.say('Count.');
    await tab.shows('One, two, three');
    await tab.button('Interrupt & edit').click();
    await tab.page.locator('.partial-editor textarea').fill('One, two, three and a half.');
    await tab.button('Resume from the edit').click();
    await tab.page.getByText('This model cannot go on from an edited reply.').waitFor();
    await tab.picture('append-and-ask');
    expect(await tab.axe()).toEqual([]);
    expect(model.requests).toHaveLength(1);
    await tab.page.getByRole('textbox', { name: 'What to ask after the kept reply' }).fill('And then?');
    await tab.button('Keep and ask').click();
    await tab.shows('Four, five.');
    expect(await tab.conversation()).toEqual(['Count.', 'One, two, three and a half.', 'And then?', 'Four, five.']);
    const sent = (await model.request(2)).body.messages.filter(({ role }) => role !== 'system');
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    await tab.close();
  });
});

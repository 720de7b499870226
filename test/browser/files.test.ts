import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call, type FakeOpenAI, startFakeOpenAI, text } from '../e2e/fake-openai.ts';
import { type Server, startServer } from './server.ts';
import { freshSession, launch, missing, Tab } from './tab.ts';

const greeting = 'export const hello = "Hello";\nexport const bye = "Bye";\n';
/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(missing !== null)('the files of a session on the page', () => {
  let model: FakeOpenAI;
  let server: Server;
  let browser: Browser;
  let address: string;
  let api: string;
  let tab: Tab;

  beforeAll(async () => {
    model = await startFakeOpenAI();
    [server, browser] = await Promise.all([startServer({ HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake' }), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await model?.close();
  });
  beforeEach(async () => {
    address = freshSession(server.address);
    api = address.replace('/s/', '/api/sessions/');
    await fetch(api, { method: 'PATCH', body: JSON.stringify({ mode: 'code' }) });
    await put('src/greet.ts', greeting);
    tab = await Tab.open(browser, address);
  });
  // A refusal that the page deals with is in the browser's list all the same.
  afterEach(() => tab.close('412'));

  async function put(path: string, body: BodyInit): Promise<void> {
    expect((await fetch(`${api}/files/${path}`, { method: 'PUT', body })).ok).toBe(true);
  }
  const read = async (path: string): Promise<string> => (await fetch(`${api}/files/${path}`)).text();
  const edit = { path: 'src/greet.ts', search: 'hello = "Hello"', replace: 'hello = "Olá"' };

  /** The agent reads a file, edits it once it may, and is done. */
  async function letEdit(): Promise<void> {
    model.reply(call('c1', 'read_file', { path: 'src/greet.ts' }));
    model.reply(call('c2', 'edit_file', edit));
    model.reply(text('It speaks Portuguese now.'));
    await tab.say('Greet in Portuguese.');
    await tab.page.locator('.ask .diff').waitFor();
  }
  /** Clean for axe-core and without sideways scroll, at three widths and in both colours. */
  async function fits(one: Tab, name: string, widths: readonly number[] = [390, 820, 1280]): Promise<void> {
    for (const width of widths) {
      await one.page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await one.page.emulateMedia({ colorScheme });
        expect(await one.axe()).toEqual([]);
        expect(await one.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        await one.picture(`${name}-${width}-${colorScheme}`);
      }
    }
  }
  async function openPanel(name: 'Files' | 'Changes'): Promise<void> {
    await tab.button('Files and changes').click();
    await tab.page.getByRole('tab', { name }).click();
  }
  const line = (name: string) =>
    tab.page.locator('.file-name', { has: tab.page.locator('.name', { hasText: new RegExp(`^${name}$`) }) });

  it('FILES-08 FILES-09 shows the lines of an edit before it is allowed, in its card, and in Changes, where it is undone', async () => {
    await letEdit();
    const ask = tab.page.locator('.ask');
    expect(await ask.locator('.diff-remove').textContent()).toContain('hello = "Hello"');
    expect(await ask.locator('.diff-add').textContent()).toContain('hello = "Olá"');
    await ask.getByText('Made from the request').waitFor();
    await fits(tab, 'edit-asked');
    await tab.button('Allow').click();
    await tab.shows('It speaks Portuguese now.');
    const card = tab.page.locator('.tool-card', { hasText: 'edit file' });
    expect(await card.locator('.counts').textContent()).toMatch(/^\+1.*−1/);
    await card.locator('summary').click();
    expect(await card.locator('.diff-add .diff-number').textContent()).toBe('1');
    expect(await card.locator('.diff-add mark').textContent()).toBe('Olá');
    await fits(tab, 'edit-done', [390, 1280]);

    await openPanel('Changes');
    const change = tab.page.locator('.change-group', { hasText: 'Greet in Portuguese.' }).locator('.change');
    await change.locator('summary').click();
    expect(await change.locator('.diff-add').textContent()).toContain('Olá');
    await tab.page.locator('.change-group h2', { hasText: 'Greet in Portuguese.' }).waitFor();
    expect(await tab.axe()).toEqual([]);
    await tab.picture('changes');
    await change.getByRole('button', { name: 'Undo src/greet.ts' }).click();
    await change.getByRole('button', { name: 'Undo for good? src/greet.ts' }).click();
    await tab.page.locator('.toast', { hasText: 'Undone: src/greet.ts.' }).waitFor();
    expect(await read('src/greet.ts')).toBe(greeting);
    await change.waitFor({ state: 'detached' });
  });

  it('FILES-09 undoes a turn as a whole, after a reload too, and says why it cannot where a file has changed since', async () => {
    await letEdit();
    await tab.button('Allow').click();
    await tab.shows('It speaks Portuguese now.');
    await put('src/greet.ts', 'by hand');
    await tab.page.reload();
    await openPanel('Changes');
    const group = tab.page.locator('.change-group', { hasText: 'Greet in Portuguese.' });
    await group.locator('summary').click();
    expect(await group.locator('.diff-add').textContent()).toContain('Olá');
    await group.getByText('Made from the request').waitFor();
    const undoTurn = async (): Promise<void> => {
      await group.getByRole('button', { name: 'Undo turn of' }).click();
      await group.getByRole('button', { name: 'Undo for good? of' }).click();
    };
    await undoTurn();
    await tab.page.locator('.toast', { hasText: 'has changed since' }).waitFor();
    expect(await read('src/greet.ts')).toBe('by hand');
    const hand = tab.page.locator('.change-group', { hasText: 'By hand' }).first();
    await hand.getByRole('button', { name: 'Undo src/greet.ts' }).click();
    await hand.getByRole('button', { name: 'Undo for good? src/greet.ts' }).click();
    await tab.page.locator('.toast', { hasText: 'Undone: src/greet.ts.' }).waitFor();
    await undoTurn();
    await group.waitFor({ state: 'detached' });
    expect(await read('src/greet.ts')).toBe(greeting);
  });

  it('shows a command in full before it runs, stops it, and says how it ended', async () => {
    const command = 'echo one\nprintf "\\033[31mred\\033[0m\\n"; exit 3 \u202e#\n';
    model.reply(call('c1', 'shell', { command: 'sleep 60' }));
    await tab.say('Wait.');
    await tab.button('Allow').click();
    await tab.page.locator('.tool-card.running').waitFor();
    await tab.button('Stop').click();
    // The call that was stopped is not settled, so it waits for its answer again.
    await tab.page.locator('.tool-card.waiting').waitFor();
    model.reply(text('Then not.'));
    await tab.button('Deny').click();
    await tab.shows('Then not.');
    model.reply(call('c2', 'shell', { command }));
    model.reply(text('It failed.'));
    await tab.say('Run it.');
    const shown = tab.page.locator('.ask .command-view pre');
    expect(await shown.textContent()).toBe(command.replace('\u202e', 'U+202E'));
    await fits(tab, 'command-asked', [390, 1280]);
    await tab.button('Allow').click();
    await tab.shows('It failed.');
    const card = tab.page.locator('.tool-card.failed').last();
    expect(await card.locator('.tool-state').textContent()).toBe('Exit 3');
    expect(await card.locator('.verdict').textContent()).toBe('Exit code 3');
    expect(await card.getByRole('group', { name: 'Output' }).textContent()).toBe('one\nred\n');
    expect(await card.locator('.ansi-1').textContent()).toBe('red\n');
    expect(await tab.axe()).toEqual([]);
    await tab.picture('command-failed');
  });

  it('are a tree that opens folder by folder and follows what changes, with the arrow keys too', async () => {
    // What is offered to try fits the tools of the mode.
    await tab.page.locator('.examples', { hasText: 'Looks around in the files' }).waitFor();
    expect(await tab.page.locator('.examples li').count()).toBe(3);
    await tab.page.keyboard.press('Control+j');
    await line('src').click();
    await line('greet.ts').waitFor();
    await put('src/deep/new.md', '# New');
    await line('deep').waitFor();
    await line('src').focus();
    await tab.page.keyboard.press('ArrowRight');
    await tab.page.keyboard.press('ArrowRight');
    await line('new.md').waitFor();
    await tab.page.keyboard.press('ArrowDown');
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('.file-text', { hasText: '# New' }).waitFor();
    await put('src/deep/new.md', '# Newer');
    await tab.page.locator('.file-text', { hasText: '# Newer' }).waitFor();
    await tab.page.keyboard.press('Escape');
    await line('new.md').waitFor();
    await tab.picture('files');
    expect(await tab.axe()).toEqual([]);
  });

  it('shows text with the numbers of its lines, pictures, and the size of anything else', async () => {
    await put('dot.png', new Uint8Array(pixel));
    await put('data.bin', new Uint8Array([0, 1, 2, 255]));
    await put('long.txt', 'a line of text\n'.repeat(20_000));
    await put('evil.html', '<img src=x onerror="document.title=1"><script>1</script>');
    await openPanel('Files');
    await line('evil.html').click();
    await tab.page.locator('.file-text code', { hasText: '<script>1</script>' }).waitFor();
    expect(await tab.page.locator('.file-text img, .file-text script').count()).toBe(0);
    await tab.button('Back to the files').click();
    await line('dot.png').click();
    await tab.page.locator('.file-image img').waitFor();
    expect(
      await tab.page.locator('.file-image img').evaluate((image) => (image as HTMLImageElement).decode().then(() => 'shown')),
    ).toBe('shown');
    await tab.button('Back to the files').click();
    await line('data.bin').click();
    await tab.page.getByText('This is no text: 4 bytes.').waitFor();
    await tab.button('Back to the files').click();
    await line('long.txt').click();
    await tab.page.getByText('Only the beginning is shown.').waitFor();
    expect(await tab.page.locator('.line-numbers').textContent()).toMatch(/^1\n2\n/);
    const [download] = await Promise.all([tab.page.waitForEvent('download'), tab.button('Download all of it').click()]);
    expect(download.suggestedFilename()).toBe('long.txt');
    expect(readFileSync(await download.path(), 'utf8')).toHaveLength(300_000);
  });

  it('takes files by button and by drop, and replaces one only when a person says so', async () => {
    await openPanel('Files');
    await tab.page
      .getByLabel('Files to upload')
      .setInputFiles({ name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('mine') });
    await line('notes.md').waitFor();
    const drop = async (selector: string, name: string, body: string): Promise<void> => {
      const data = await tab.page.evaluateHandle(
        ([name = '', body = '']) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([body], name));
          return transfer;
        },
        [name, body],
      );
      await tab.page.dispatchEvent(selector, 'dragover', { dataTransfer: data });
      await tab.page.locator('.drop-note').waitFor();
      await tab.page.dispatchEvent(selector, 'drop', { dataTransfer: data });
    };
    await drop('.files', 'notes.md', 'theirs');
    const upload = tab.page.locator('.upload');
    await upload.getByText('Replace it?').waitFor();
    expect(await tab.axe()).toEqual([]);
    await tab.picture('upload-asks');
    await put('notes.md', 'someone else');
    await upload.getByRole('button', { name: 'Replace' }).click();
    await upload.getByText('It has changed meanwhile.').waitFor();
    expect(await read('notes.md')).toBe('someone else');
    await upload.getByRole('button', { name: 'Replace' }).click();
    await upload.waitFor({ state: 'detached' });
    expect(await read('notes.md')).toBe('theirs');
    await drop('[data-folder=src] .file-line', 'in.txt', 'inside');
    await line('src').click();
    await line('in.txt').waitFor();
    expect(await read('src/in.txt')).toBe('inside');
  });

  it('deletes with a time to take it back, and carries a project out and in as an archive', async () => {
    await openPanel('Files');
    await line('src').waitFor();
    await tab.button('All files').click();
    const [archive] = await Promise.all([
      tab.page.waitForEvent('download'),
      tab.page.getByRole('menuitem', { name: 'Download all as zip' }).click(),
    ]);
    await tab.button('Menu of src').click();
    await tab.page.getByRole('menuitem', { name: 'Delete' }).click();
    await line('src').waitFor({ state: 'detached' });
    await tab.page.locator('.toast', { hasText: 'Deleted src.' }).getByRole('button', { name: 'Undo' }).click();
    await line('src').waitFor();
    expect(await read('src/greet.ts')).toBe(greeting);
    await put('src/greet.ts', 'changed');
    await tab.page.getByLabel('Archive to unpack').setInputFiles({
      name: 'p.zip',
      mimeType: 'application/zip',
      buffer: readFileSync(await archive.path()),
    });
    await tab.page.locator('.upload').getByRole('button', { name: 'Unpack' }).click();
    await tab.page.locator('.upload').waitFor({ state: 'detached' });
    expect(await read('src/greet.ts')).toBe(greeting);
  });

  it('shows each file of a patch that waits, and the whole of a long file only on demand', async () => {
    const lines = Array.from(
      { length: 500 },
      (_, index) => `+line ${index} of a file with lines that are rather long, so that they need a scroll of their own`,
    );
    const patch = ['*** Begin Patch', '*** Add File: new.txt', ...lines, '*** Delete File: src/greet.ts', '*** End Patch'].join(
      '\n',
    );
    model.reply(call('c1', 'apply_patch', { patch }, 5000));
    await tab.say('Patch it.');
    const ask = tab.page.locator('.ask');
    await ask.locator('.file-edit', { hasText: 'Delete src/greet.ts' }).waitFor();
    expect(await ask.locator('.diff-add').count()).toBe(400);
    await ask.getByRole('button', { name: 'Show 100 more of 500 lines' }).click();
    expect(await ask.locator('.diff-add').count()).toBe(500);
    await fits(tab, 'patch-asked', [390]);
    model.reply(text('As you like.'));
    await tab.button('Deny').click();
    await tab.shows('As you like.');
    expect(await read('src/greet.ts')).toBe(greeting);
  });

  it.each([
    { width: 390, options: { hasTouch: true, isMobile: true } },
    { width: 820, options: {} },
    { width: 1280, options: {} },
  ])('fits a page of $width px in both colours, clean for axe-core', async ({ width, options }) => {
    await put('a-file-with-quite-a-long-name-that-does-not-fit-anywhere-near-the-panel.config.json', '{}');
    const other = await Tab.open(browser, address, { viewport: { width, height: 800 }, ...options });
    await other.button('Files and changes').click();
    const panel = other.page.locator('.side-panel');
    const name = (words: string) => panel.locator('.file-name', { hasText: words });
    const overflow = (): Promise<number> => panel.evaluate((element) => element.scrollWidth - element.clientWidth);
    await name('a-file-with').waitFor();
    await fits(other, 'panel-files', [width]);
    await other.page.getByRole('tab', { name: 'Changes' }).click();
    await panel.locator('.change').first().waitFor();
    await fits(other, 'panel-changes', [width]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await other.page.getByRole('tab', { name: 'Files' }).click();
    await name('src').click();
    await name('greet.ts').click();
    await panel.locator('.file-text').waitFor();
    await fits(other, 'panel-file', [width]);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await other.close();
  });

  it('is a sheet on a narrow page, with its own notices, and Esc goes back one step at a time', async () => {
    await tab.page.setViewportSize({ width: 390, height: 800 });
    await tab.button('Files and changes').click();
    const sheet = tab.page.locator('dialog.sheet.right[open]');
    await line('src').click();
    await line('greet.ts').click();
    await tab.page.locator('.file-text').waitFor();
    await tab.page.keyboard.press('Escape');
    await line('greet.ts').waitFor();
    expect(await line('greet.ts').evaluate((button) => button === document.activeElement)).toBe(true);
    await tab.button('Menu of greet.ts').click();
    await tab.page.getByRole('menuitem', { name: 'Delete' }).click();
    await tab.page.locator('.toast', { hasText: 'Deleted src/greet.ts.' }).getByRole('button', { name: 'Undo' }).click();
    await line('greet.ts').waitFor();
    expect(await read('src/greet.ts')).toBe(greeting);
    await tab.page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });
});

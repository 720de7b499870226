import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

/** Where Debian puts its browser (`apt-get install chromium`). */
const executablePath = '/usr/bin/chromium';

/** Why the suite cannot run here; null when it can. */
export const missing: string | null = existsSync(executablePath) ? null : `skipped: there is no ${executablePath}`;

/** Starts the browser. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] });
}

/** Pictures for people, kept out of git. */
const pictures = join(import.meta.dirname, '../../artifacts/browser');

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A finding of axe-core: the rule, how bad, and where. */
export interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly where: string;
}

/** A page of one reader, with a profile of its own. */
export class Tab {
  readonly page: Page;
  /** What the browser complained of: errors, refusals by the CSP, uncaught exceptions. */
  readonly problems: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
  }

  static async open(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options });
    context.setDefaultTimeout(20_000);
    const tab = new Tab(await context.newPage());
    await tab.page.goto(address);
    await tab.composer.waitFor();
    return tab;
  }

  /** Closes the page. Throws when the browser complained of anything but what `allowed` names. */
  async close(...allowed: readonly string[]): Promise<void> {
    await this.page.context().close();
    const problems = this.problems.filter((problem) => !allowed.some((part) => problem.includes(part)));
    if (problems.length > 0) throw new Error(`The browser complained:\n${problems.join('\n')}`);
  }

  get composer(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  /** The last reply. */
  get reply(): Locator {
    return this.page.locator('.row.reply').last();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Writes and sends as a person does. */
  async say(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  /** Waits until the top bar says this. */
  async status(words: string): Promise<void> {
    await this.page.locator('.status-words', { hasText: new RegExp(`^${words}`) }).waitFor();
  }

  /** Waits until a text shows in the conversation. */
  async shows(text: string): Promise<void> {
    await this.page.locator('.rows', { hasText: text }).waitFor();
  }

  /** The conversation as a reader sees it, without what differs from tab to tab. */
  async conversation(): Promise<readonly string[]> {
    return this.page
      .locator('.row')
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll('.bubble, .markdown, .tool-name, .tool-state')].map((part) => part.textContent).join(' | '),
        ),
      );
  }

  /** Serious and critical findings of axe-core. It runs in a world of its own, beside the page and its CSP. */
  async axe(): Promise<readonly Finding[]> {
    const session = await this.page.context().newCDPSession(this.page);
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
    await session.send('Runtime.evaluate', { contextId, expression: readFileSync(axePath, 'utf8') });
    const expression = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, impact, nodes }) => nodes.map(({ target }) => ({ id, impact, where: target.join(' ') }))))`;
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      contextId,
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    await session.detach();
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as readonly Finding[];
  }

  /** Takes a picture for people to look at. */
  async picture(name: string): Promise<void> {
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: join(pictures, `${name}.png`) });
  }
}

/** Waits until something shows; false when it does not within the time of its page. */
export async function shown(what: Locator): Promise<boolean> {
  return what
    .first()
    .waitFor()
    .then(
      () => true,
      () => false,
    );
}

/** An address of a session that no test has used. */
export function freshSession(address: string): string {
  return `${address}/s/t-${crypto.randomUUID()}`;
}

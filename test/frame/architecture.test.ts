import { describe, expect, test } from 'vitest';
import { trespasses } from './floors.ts';
import { parse, sources } from './source.ts';

const source = sources('src');
const everything = [...source, ...sources('bridges', 'container', 'scripts', 'test')];

describe('the house', () => {
  test('a file of src imports only from floors below its own, and the core from itself alone', () => {
    expect(source.length).toBeGreaterThan(20);
    expect(source.flatMap(trespasses)).toEqual([]);
  });

  test('no file is longer than 500 lines', () => {
    expect(everything.filter((file) => file.lines > 500).map((file) => file.path)).toEqual([]);
  });

  test('no file says any or silences the compiler or the linter', () => {
    expect(everything.flatMap((file) => file.escapes.map((line) => `${file.path}:${line}`))).toEqual([]);
  });
});

describe('the check itself', () => {
  test.each([
    ['src/core/run.ts', "import { z } from 'zod';"],
    ['src/core/run.ts', "import type { Hub } from '../session/hub.ts';"],
    ['src/core/run.ts', "export * from '../models/index.ts';"],
    ['src/models/sse.ts', "const tools = await import('../tools/index.ts');"],
    ['src/tools/clock.ts', "type Row = import('../session/rows.ts').Row;"],
    ['src/config/modes.ts', "import { Session } from '../session/session.ts';"],
    ['src/policy/rules.ts', "import { modes } from '../config/index.ts';"],
    ['src/session/session.ts', "import { app } from '../server/app.ts';"],
    ['src/session/protocol/wire.ts', "import type { Journal } from '../journal.ts';"],
    ['src/ui/state/store.ts', "import { modes } from '../../config/index.ts';"],
    ['src/server/app.ts', "import { z } from 'zod';"],
    ['src/server/app.ts', "import { helper } from '../../scripts/helper.ts';"],
    ['src/attic/box.ts', "import type { Run } from '../core/run.ts';"],
  ])('it refuses %s: %s', (path, text) => {
    expect(trespasses(parse(path, text))).toHaveLength(1);
  });

  test.each([
    ['src/core/run.ts', "import { fold } from './fold.ts';"],
    ['src/models/sse.ts', "import type { Delta } from '../core/index.ts';"],
    ['src/server/app.ts', "import * as z from 'zod'; import { modes } from '../config/index.ts';"],
    ['src/session/session.ts', "import first from '../../migrations/0001_session.sql';"],
    ['src/ui/state/store.ts', "import { applyEvent } from '../../session/protocol/index.ts';"],
    ['src/worker.ts', "export { Session } from './session/session.ts';"],
  ])('it allows %s: %s', (path, text) => {
    expect(trespasses(parse(path, text))).toEqual([]);
  });

  test('it sees any and a silenced rule, and not the words in a text', () => {
    const text = ["const a = 'any';", 'const b: any = a;', '// @ts-expect-error', 'const c = b as any;', '/* any */'].join('\n');
    expect(parse('src/core/a.ts', text).escapes.toSorted((a, b) => a - b)).toEqual([2, 3, 4]);
  });
});

import { expect, test } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { checkConfiguration } from '../../src/config/index.ts';

test('STATE-11 the variables that wrangler.toml ships are consistent', () => {
  const { vars } = unstable_readConfig({ config: 'wrangler.toml' });
  expect(checkConfiguration(vars)).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { readShellResult } from '../../src/ui/lib/shell-text.ts';
import { sizeText } from '../../src/ui/lib/size.ts';

describe('a shell’s result', () => {
  it('SHELL-05 is remarks, how it ended, and what it said', () => {
    expect(readShellResult('Exit code 0\nhello\n')).toEqual({ remarks: '', verdict: 'Exit code 0', exit: 0, output: 'hello\n' });
    expect(readShellResult('a.png was not saved.\nExit code 127\nExit code 3\n')).toEqual({
      remarks: 'a.png was not saved.',
      verdict: 'Exit code 127',
      exit: 127,
      output: 'Exit code 3\n',
    });
    expect(readShellResult('Exit code 1').output).toBe('');
  });

  it('has no exit code where nobody knows one', () => {
    for (const verdict of [
      'Timed out after 2 seconds: the command was killed, with everything that it had started.',
      'Cancelled: the command was killed, with everything that it had started.',
      'The command could not be started: it is too long (its size is 9 bytes).',
      'What ran the command is gone (restart): whether the command finished is not known.',
    ])
      expect(readShellResult(`${verdict}\nsome`)).toEqual({ remarks: '', verdict, exit: null, output: 'some' });
  });

  it('is all output where the tool did not write it', () => {
    expect(readShellResult('Denied: no')).toEqual({ remarks: '', verdict: '', exit: null, output: 'Denied: no' });
    expect(readShellResult('\n'.repeat(30) + 'Exit code 0').exit).toBeNull();
  });
});

describe('a size', () => {
  it('is short', () => {
    expect([0, 1, 999, 1000, 12_345, 999_949, 999_950, 25_000_000, 200_000_000].map(sizeText)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 kB',
      '12.3 kB',
      '1000 kB',
      '1.0 MB',
      '25.0 MB',
      '200 MB',
    ]);
  });
});

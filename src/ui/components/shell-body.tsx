import type { ShellResult } from '../lib/shell-text.ts';
import { AnsiText } from './ansi-text.tsx';
import { OutputText } from './output-text.tsx';

/** How a command ended, and what it said. */
export function ShellBody({ result }: { readonly result: ShellResult }) {
  const { remarks, verdict, output } = result;
  return (
    <>
      {remarks !== '' && <p class="quiet">{remarks}</p>}
      {verdict !== '' && <p class="verdict">{verdict}</p>}
      {output.trim() === '' ? (
        verdict !== '' && <p class="quiet">It said nothing.</p>
      ) : (
        <OutputText title="Output" text={output} view={(text) => <AnsiText text={text} />} />
      )}
    </>
  );
}

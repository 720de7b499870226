import { CopyButton } from './copy-button.tsx';
import { VisibleText } from './visible-text.tsx';

/** A shell command in full, each line as it is. */
export function CommandView({ command }: { readonly command: string }) {
  return (
    <div class="command-view">
      <pre tabIndex={0} role="group" aria-label="Command">
        <VisibleText text={command} />
      </pre>
      <CopyButton text={() => command} label="Copy the command" />
    </div>
  );
}

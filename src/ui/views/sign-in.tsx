import { useState } from 'preact/hooks';
import { useApp } from '../state/app.ts';
import { enter } from '../state/enter.ts';

const texts = {
  needed: 'This server asks who you are. Paste a token for it.',
  refused: 'The server does not accept this token: it may have expired. Paste another one.',
  not_configured: '',
} as const;

/** The field for a token, kept for this tab only. */
export function SignIn() {
  const app = useApp();
  const [text, setText] = useState('');
  const reason = app.signIn.value ?? 'needed';
  const submit = (event: Event): void => {
    event.preventDefault();
    app.token.value = text.trim();
    void enter(app);
  };
  return (
    <main class="sign-in" id="conversation">
      <h1>Reins</h1>
      {reason === 'not_configured' ? (
        <p>
          This server is reached under a name that is not its own machine’s, and has no way to know who you are. Set{' '}
          <code>AUTH</code> to <code>token</code> or <code>access</code> and start it again.
        </p>
      ) : (
        <form onSubmit={submit}>
          <p>{texts[reason]}</p>
          <label>
            Token
            <input
              type="password"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              aria-describedby="sign-in-help"
            />
          </label>
          <p id="sign-in-help" class="quiet">
            <code>npm run token -- NAME</code> makes one. It is kept in this tab and goes with it.
          </p>
          <button type="submit" class="button primary" disabled={text.trim() === ''}>
            Sign in
          </button>
        </form>
      )}
    </main>
  );
}

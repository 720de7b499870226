import { useApp } from '../state/app.ts';
import { IconButton } from './icon-button.tsx';

/** The notices at the foot of the page. */
export function ToastList() {
  const { toasts } = useApp();
  return (
    <div class="toasts" role="status" aria-label="Notices">
      {toasts.shown.value.map((toast) => (
        <div key={toast.id} class="toast">
          <span>{toast.text}</span>
          {toast.action !== null && (
            <button type="button" class="link" onClick={toast.action.run}>
              {toast.action.label}
            </button>
          )}
          <IconButton icon="close" class="small" label="Dismiss" onClick={() => toasts.dismiss(toast.id)} />
        </div>
      ))}
    </div>
  );
}

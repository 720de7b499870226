import { useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { IconButton } from '../components/icon-button.tsx';
import { type App, useApp } from '../state/app.ts';
import { Files } from '../state/files.ts';
import { type PanelTab, panelTabs } from '../state/panel.ts';
import type { SessionStore } from '../state/session.ts';
import { ChangesTab } from './changes-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import './panel.css';

/** What a tab is given. */
export interface TabProps {
  readonly store: SessionStore;
  readonly files: Files;
}

const tabs: { readonly [tab in PanelTab]: { readonly label: string; readonly View: ComponentType<TabProps> } } = {
  files: { label: 'Files', View: FilesTab },
  changes: { label: 'Changes', View: ChangesTab },
};

/** Where commands run, by the driver that the server names. */
const shellWords: { readonly [driver: string]: string | undefined } = {
  container: 'Commands run in a container of this session.',
  embedded: 'Commands run in a small shell inside the server: no other programs, no network.',
  local: 'Commands run on the machine of the server.',
};

/** The panel beside the conversation: the session's files and what was changed in them. */
export function SidePanel({ store }: { readonly store: SessionStore }) {
  const app = useApp();
  const { panel } = app;
  const shell = app.config.value?.shell ?? null;
  const files = useMemo(() => filesOf(app, store.scope), [store.scope]);
  const list = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const rev = store.snapshot.value?.files.rev;
    if (rev !== undefined) void files.refresh(rev);
  });
  useSignalEffect(() => {
    const path = panel.wanted.value;
    if (path === null) return;
    panel.wanted.value = null;
    files.show(path);
  });
  const tab = panel.tab.value;
  const { View } = tabs[tab];
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    panel.show(panelTabs[(panelTabs.indexOf(tab) + by + panelTabs.length) % panelTabs.length] ?? 'files');
    list.current?.querySelector<HTMLElement>(`#tab-${panel.tab.value}`)?.focus();
  };
  return (
    <aside class="side-panel" aria-label="Files and changes">
      <header class="panel-head">
        <div role="tablist" aria-label="Panel" ref={list} onKeyDown={onKey}>
          {panelTabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="panel-view"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => panel.show(name)}
            >
              {tabs[name].label}
            </button>
          ))}
        </div>
        <IconButton icon="close" label="Hide the panel" onClick={() => panel.setOpen(false)} />
      </header>
      <div class="panel-view" id="panel-view" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
        <View store={store} files={files} />
      </div>
      {shell !== null && <p class="panel-foot">{shellWords[shell] ?? `Commands run by ${shell}.`}</p>}
    </aside>
  );
}

/** The files of a session stay while it is in view, so that uploads go on and folders stay open while the panel is closed. */
function filesOf(app: App, scope: string): Files {
  const known = app.files.peek();
  if (known?.scope === scope) return known;
  known?.close();
  const files = new Files(app.api, scope);
  app.files.value = files;
  return files;
}

import { render } from 'preact';
import { AppProvider } from './state/app.ts';
import { createApp } from './state/create-app.ts';
import { Shell } from './views/shell.tsx';
import './css/main.css';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no #app.');
render(
  <AppProvider value={createApp()}>
    <Shell />
  </AppProvider>,
  root,
);

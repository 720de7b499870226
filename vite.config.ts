import { defineConfig } from 'vite';

/** The page: `src/ui` built into `public/`, where the Worker's asset server finds it. */
export default defineConfig({
  root: 'src/ui',
  // Relative to `root`; emptied before each build, so nothing in it is kept by hand.
  build: {
    outDir: '../../public',
    emptyOutDir: true,
    target: 'es2024',
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8787', ws: true } } },
});

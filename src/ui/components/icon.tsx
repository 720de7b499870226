const paths = {
  alert: 'M12 8v5m0 3.5v.01M10.3 3.9 2.6 17.2A2 2 0 0 0 4.3 20.2h15.4a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  arrowDown: 'M12 5v14m-6-6 6 6 6-6',
  arrowUp: 'M12 19V5m-6 6 6-6 6 6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 7.5V12l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10v11H9zM5 15H4.5V4H15v1',
  edit: 'M4 20h4L19.5 8.5a2.1 2.1 0 0 0-3-3L5 17zM14.5 7.5l3 3',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  file: 'M6.5 3.5h8l4 4v13h-12zM14 3.5V8h4.5',
  folder: 'M3.5 6.5h6l2 2.5h9v10.5h-17z',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.1-1.1',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Zm7 0a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Zm7 0a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Z',
  note: 'M6 3.5h9l4 4v13H6zM9.5 12h6M9.5 15.5h6',
  panel: 'M4 5h16v14H4zM14.5 5v14',
  pause: 'M9 6v12M15 6v12',
  plus: 'M12 5v14M5 12h14',
  question: 'M9.2 9.2a2.9 2.9 0 1 1 4.2 2.6c-.9.5-1.4 1.1-1.4 2.2M12 17.2v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  queue: 'M4 7h16M4 12h10M4 17h10M18 13v6m-3-3h6',
  retry: 'M4 12a8 8 0 1 1 2.6 5.9M4 12V6m0 6h6',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4.5 4.5',
  send: 'M12 19V5m-6 6 6-6 6 6',
  shield: 'M12 3.5 5 6v5.5c0 4.3 2.9 7.4 7 9 4.1-1.6 7-4.7 7-9V6z',
  sidebar: 'M4 5h16v14H4zM9.5 5v14',
  steer: 'M5 20V9a4 4 0 0 1 4-4h10m-4-4 4 4-4 4',
  stop: 'M7 7h10v10H7z',
  terminal: 'M4 5h16v14H4zM7.5 9.5l3 2.5-3 2.5m5.5.5h3.5',
  tool: 'M14.5 6.5a4.2 4.2 0 0 1 5.2-1L17 8.2l1.8 1.8 2.7-2.7a4.2 4.2 0 0 1-5.9 5L8 20a2 2 0 0 1-2.9-2.9l7.6-7.6a4.2 4.2 0 0 1 1.8-3Z',
  trash: 'M5 7h14M10 7V4.5h4V7m-7.5 0 .8 13h9.4l.8-13M10.5 11v5.5m3-5.5v5.5',
  undo: 'M8 6 4 10l4 4M4.5 10H14a5 5 0 0 1 0 10h-3',
  upload: 'M12 16V5m-5 5 5-5 5 5M5 20h14',
  wrap: 'M4 6h16M4 12h13a3 3 0 0 1 0 6h-4m0 0 2-2m-2 2 2 2M4 18h5',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** An icon; it says nothing to a screen reader, so what stands beside it must. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

const units = ['KB', 'MB', 'GB'];

/** A number of bytes for people: `340 bytes`, `1.2 KB`, of 1024 bytes each. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1).replace('.0', '')} ${units[unit]}`;
}

/** `1 line`, `2 lines`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A size in bytes as people read it: `0 bytes`, `950 bytes`, `12.3 kB`, `4.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const [value, unit] = bytes < 999_950 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}

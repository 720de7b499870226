/** Hands bytes to the browser as a download under this name. */
export function saveAs(body: Blob, name: string): void {
  const url = URL.createObjectURL(body);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after the click; a minute is enough for it to have begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

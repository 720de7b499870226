/** The name of a tool as people read it: `read_notes` becomes `read notes`. */
export function toolTitle(name: string): string {
  return name.replaceAll(/[_-]+/g, ' ').trim() || 'tool';
}

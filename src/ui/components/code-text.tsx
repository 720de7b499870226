import type { CodeNode } from '../lib/highlight.ts';

/** Code with its colours. */
export function CodeText({ nodes }: { readonly nodes: readonly CodeNode[] }) {
  return <>{nodes.map(codeView)}</>;
}

function codeView(node: CodeNode, key: number) {
  if (typeof node === 'string') return node;
  return (
    <span key={key} class={node.classes}>
      {node.children.map(codeView)}
    </span>
  );
}

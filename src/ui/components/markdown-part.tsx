import { Component, Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import type { Token } from 'marked';
import { type Blocks, growBlocks, noBlocks } from '../lib/blocks.ts';
import { type MdElement, type MdNode, renderBlock } from '../lib/markdown.ts';
import { CodeBlock } from './code-block.tsx';

/** A text as markdown. While `live` it grows: finished blocks keep their nodes, and half-typed marks wait. */
export function MarkdownPart({ text, live }: { readonly text: string; readonly live: boolean }) {
  const blocks = useRef<Blocks>(noBlocks);
  blocks.current = growBlocks(blocks.current, text, live);
  return (
    <div class="markdown">
      {blocks.current.tokens.map((token, index) => (
        <Block key={index} token={token} live={live} />
      ))}
    </div>
  );
}

/** One block. A token that did not change is the same object, so its block is left alone. */
class Block extends Component<{ readonly token: Token; readonly live: boolean }> {
  override shouldComponentUpdate(next: { readonly token: Token; readonly live: boolean }): boolean {
    return next.token !== this.props.token || next.live !== this.props.live;
  }

  override render() {
    const node = renderBlock(this.props.token);
    return node === null ? null : view(node, 0, this.props.live);
  }
}

function view(node: MdNode, key: number, live: boolean) {
  if (typeof node === 'string') return node;
  const children = node.children.map((child, index) => view(child, index, live));
  const { tag } = node;
  switch (tag) {
    case 'text':
      return <Fragment key={key}>{children}</Fragment>;
    case 'a':
      return (
        <a key={key} href={node.href ?? ''} target="_blank" rel="noopener noreferrer nofollow" title={node.href}>
          {children}
        </a>
      );
    case 'chip':
      return <Chip key={key} node={node} />;
    case 'checkbox':
      return (
        <input
          key={key}
          type="checkbox"
          checked={node.checked === true}
          disabled
          aria-label={node.checked === true ? 'done' : 'not done'}
        />
      );
    case 'code_block':
      return <CodeBlock key={key} code={textOf(node)} lang={node.lang ?? ''} open={node.open === true && live} />;
    case 'table':
      return (
        <div key={key} class="table-scroll" tabIndex={0} role="group" aria-label="Table">
          <table>{children}</table>
        </div>
      );
    case 'th':
      return (
        <th key={key} scope="col" class={node.align === undefined ? undefined : `align-${node.align}`}>
          {children}
        </th>
      );
    case 'td':
      return (
        <td key={key} class={node.align === undefined ? undefined : `align-${node.align}`}>
          {children}
        </td>
      );
    case 'ol':
      return (
        <ol key={key} start={node.start}>
          {children}
        </ol>
      );
    case 'br':
      return <br key={key} />;
    case 'hr':
      return <hr key={key} />;
    default: {
      const Tag = tag;
      return <Tag key={key}>{children}</Tag>;
    }
  }
}

/** An address that is not followed by itself: an image elsewhere, or a scheme that the page does not open. */
function Chip({ node }: { readonly node: MdElement }) {
  const label = node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
  return (
    <span class="chip">
      <span>{label}</span>{' '}
      {node.href === undefined ? (
        <code>{node.address}</code>
      ) : (
        <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
          {node.address}
        </a>
      )}
    </span>
  );
}

function textOf(node: MdElement): string {
  return node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

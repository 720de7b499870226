import type { Message } from '../../core/message.ts';
import { MarkdownPart } from './markdown-part.tsx';
import { ReasoningPart } from './reasoning-part.tsx';
import { ToolCard } from './tool-card.tsx';

/** The parts of an unfinished reply; finished calls in it are locked. Without its last text where the editor stands instead. */
export function PartialParts({ message, withoutLastText }: { readonly message: Message; readonly withoutLastText: boolean }) {
  const last = message.content.findLastIndex((part) => part.type === 'text');
  return (
    <>
      {message.content.map((part, index) => {
        if (part.type === 'reasoning' && part.text.trim() !== '')
          return <ReasoningPart key={index} text={part.text} live={false} />;
        if (part.type === 'text' && !(withoutLastText && index === last))
          return <MarkdownPart key={index} text={part.text} live={false} />;
        if (part.type !== 'tool_call') return null;
        const card = {
          id: part.id,
          name: part.name,
          input: part.input,
          raw: '',
          state: 'stopped' as const,
          progress: null,
          result: null,
        };
        return <ToolCard key={part.id} card={card} />;
      })}
    </>
  );
}

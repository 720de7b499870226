import { type Command, forEachChild, parse, type Redirect as RedirectNode, type SyntaxNode, type Word as WordNode } from 'unbash';
import type { Assignment, Redirect, SimpleCommand, Word } from './command.ts';

/** A simple command, wherever it stands, as the source has it. */
export interface FoundCommand extends SimpleCommand {
  readonly text: string;
}

/** What the parser of bash finds in a command line: everything, in substitutions, functions, loops and the bodies of heredocs too. */
export interface BashReading {
  readonly commands: readonly FoundCommand[];
  /** Redirects that are around several commands. */
  readonly around: readonly Redirect[];
  /** Why something of it may be missing; empty where nothing is. */
  readonly doubts: readonly string[];
  /** True when there is nothing in it but lists and pipes of simple commands. */
  readonly flat: boolean;
}

/** What a command line of nothing but lists and pipes is made of. */
const flatNodes: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'AndOr',
  'Pipeline',
  'Command',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  'Assignment',
  'Redirect',
  'FileDescriptor',
]);

/** Reads a command line with the parser of bash. */
export function readBash(source: string): BashReading {
  const finder = new Finder();
  try {
    finder.visit(parse(source), source);
  } catch {
    finder.doubts.push('the parser of bash gave up on it');
  }
  return finder;
}

class Finder implements BashReading {
  readonly commands: FoundCommand[] = [];
  readonly around: Redirect[] = [];
  readonly doubts: string[] = [];
  flat = true;

  /** Positions are into `source`, which a script in backquotes brings with it. */
  visit(node: SyntaxNode, source: string): void {
    this.flat &&= flatNodes.has(node.type) && isPlainly(node);
    let own = source;
    switch (node.type) {
      case 'Script':
        own = node.source ?? source;
        if ('errors' in node && node.errors !== undefined && node.errors.length > 0) this.doubts.push('it is not correct bash');
        break;
      case 'Command':
        this.commands.push(commandOf(node, source));
        break;
      case 'Redirected':
        this.around.push(...node.redirects.flatMap((redirect) => (redirect.type === 'Redirect' ? [redirectOf(redirect)] : [])));
        break;
      default:
    }
    forEachChild(node, (child) => this.visit(child, own));
  }
}

/** Of the nodes that a flat line may have, those that are more than they seem. */
function isPlainly(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Statement':
      return node.background !== true;
    case 'Pipeline':
      return node.operators.every((operator) => operator === '|');
    case 'Assignment':
      return node.append !== true && node.index === undefined && node.value.type === 'Word';
    default:
      return true;
  }
}

function commandOf(node: Command, source: string): FoundCommand {
  const assignments: Assignment[] = node.prefix.flatMap((part) =>
    part.type === 'Assignment' ? [{ name: part.name, value: part.value.type === 'Word' ? wordOf(part.value) : null }] : [],
  );
  const words = [node.name, ...node.args].flatMap((word): Word[] => {
    if (word === undefined) return [];
    if (word.type === 'Word') return [wordOf(word)];
    // `export name=value`: to the command it is a word.
    const value = word.value.type === 'Word' ? wordOf(word.value) : null;
    return [value === null || word.index !== undefined ? null : `${word.name}${word.append === true ? '+' : ''}=${value}`];
  });
  const redirects = node.redirects.flatMap((redirect) => (redirect.type === 'Redirect' ? [redirectOf(redirect)] : []));
  return { assignments, words, redirects, text: source.slice(node.pos, node.end) };
}

function redirectOf({ descriptor, operator, target }: RedirectNode): Redirect {
  const named = descriptor?.type === 'FileDescriptorVariable';
  return {
    descriptor: descriptor?.type === 'FileDescriptor' ? descriptor.value : null,
    operator: named ? `{${descriptor.name}}${operator}` : operator,
    target: target === undefined ? null : wordOf(target),
  };
}

/** The text of a word when the shell has taken its quotes away; null for one that it would expand. */
function wordOf(word: WordNode): Word {
  // A tilde is no part of its own. It is expanded at the start, and in an assignment behind each colon.
  if (/^~|[:=]~/.test(word.text)) return null;
  return (word.parts ?? []).every(isStatic) ? word.value : null;
}

function isStatic(part: SyntaxNode): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.every(isStatic);
    default:
      return false;
  }
}

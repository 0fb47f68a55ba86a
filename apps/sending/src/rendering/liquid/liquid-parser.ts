import { Parser, Tokenizer, TypeGuards, type Liquid, type Template, type TopLevelToken } from 'liquidjs';
import { LiquidSyntaxError } from './liquid-errors.js';
import { countPositionsOnce } from './positions.js';
import { IncludedSnippet } from './snippet-tag.js';

/** Replaces `??` for the library, which takes `?` as part of a name and would read `name??"x"` as one name. */
export const coalesce = '\u0001\u0001';

countPositionsOnce();

/** A parsed tag takes about 1 KiB, so a source with more tags is refused before it is parsed. */
const maxTags = 20_000;

/** Liquid with two extensions (docs/api-decisions.md §4); replacements have the same length, so that positions stay right. */
export class MailParser extends Parser {
  constructor(private readonly engine: Liquid) {
    super(engine);
  }

  override parse(source: string, file?: string): Template[] {
    refuseTooMany(source);
    const { options } = this.engine;
    const marked = source.includes('??') ? this.markCoalescing(source, file) : source;
    return this.parseTokens(new Tokenizer(marked, options.operators, file).readTopLevelTokens(options));
  }

  override parseTokens(tokens: TopLevelToken[]): Template[] {
    return super.parseTokens(queueOf(tokens));
  }

  override parseToken(token: TopLevelToken, remaining: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    if (TypeGuards.isOutputToken(token) && token.content.startsWith('>'))
      return includedBy(token, this.engine);
    const template = super.parseToken(token, remaining);
    if (TypeGuards.isTagToken(token) && token.tokenizer.remaining().trimStart().startsWith(coalesce)) {
      throw LiquidSyntaxError.at('?? cannot stand here: assign it to a name first', token);
    }
    return template;
  }

  private markCoalescing(source: string, file: string | undefined): string {
    const { options } = this.engine;
    const parts: string[] = [];
    let end = 0;
    for (const token of new Tokenizer(source, options.operators, file).readTopLevelTokens(options)) {
      if (TypeGuards.isDelimitedToken(token)) {
        parts.push(source.slice(end, token.begin), markOutsideQuotes(source.slice(token.begin, token.end)));
        end = token.end;
      }
    }
    return parts.join('') + source.slice(end);
  }
}

export function countTags(source: string): number {
  let tags = 0;
  for (let at = source.indexOf('{'); at !== -1; at = source.indexOf('{', at + 1)) {
    if (source[at + 1] === '{' || source[at + 1] === '%') tags += 1;
  }
  return tags;
}

function refuseTooMany(source: string): void {
  if (countTags(source) > maxTags) throw new LiquidSyntaxError(`has more than ${maxTags} tags`, 1, 1);
}

function includedBy(
  token: TopLevelToken & { content: string },
  engine: Liquid,
): ReturnType<Parser['parseToken']> {
  const name = token.content.slice(1).trim();
  if (!/^[A-Za-z][\w-]*$/.test(name)) {
    throw LiquidSyntaxError.at('a snippet is included as {{> name}}', token);
  }
  // The type of the library lists only its own tokens.
  return new IncludedSnippet(token, engine, name) as unknown as ReturnType<Parser['parseToken']>;
}

function markOutsideQuotes(tag: string): string {
  let marked = '';
  let quote = '';
  for (let at = 0; at < tag.length; at += 1) {
    const character = tag[at]!;
    if (quote) {
      marked += character === '\\' ? character + (tag[(at += 1)] ?? '') : character;
      if (character === quote) quote = '';
    } else if (character === '?' && tag[at + 1] === '?') {
      marked += coalesce;
      at += 1;
    } else {
      if (character === '"' || character === "'") quote = character;
      marked += character;
    }
  }
  return marked;
}

/** The library shifts tokens off an array, which is quadratic for long sources. */
function queueOf(tokens: TopLevelToken[]): TopLevelToken[] {
  let taken = 0;
  const queue = {
    shift: () => tokens[taken++],
    get length() {
      return Math.max(0, tokens.length - taken);
    },
  };
  return queue as unknown as TopLevelToken[];
}

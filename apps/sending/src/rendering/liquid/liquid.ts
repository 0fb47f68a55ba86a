import { Context, type Liquid, type Template } from 'liquidjs';
import { LiquidSyntaxError, RenderFailure, toRenderFailure, toSyntaxError } from './liquid-errors.js';
import { createEngine, maxOutput, renderMs } from './liquid-engine.js';
import { MailParser } from './liquid-parser.js';
import { ParsedSources } from './parsed-sources.js';
import { giveSnippets, type FindSnippet } from './snippet-tag.js';

export interface MessageTexts {
  subject: string;
  html: string;
  text: string | null;
}

/** Rendering is a pure function of this: the same input gives the same bytes. */
export interface RenderInput {
  variables: Record<string, unknown>;
  snippets: Record<string, string>;
  now: Date;
}

const cacheBytes = 8 * 1024 * 1024;
const maxSubject = 998;

class Renderer {
  private readonly engine: Liquid;
  private readonly sources: ParsedSources;

  constructor(escapes: boolean) {
    const engine = createEngine({ escapes });
    this.engine = engine;
    this.sources = new ParsedSources(
      (source, file) => new MailParser(engine).parse(source, file),
      cacheBytes,
    );
  }

  parse(source: string, file: string): Template[] {
    try {
      return this.sources.of(source, file);
    } catch (error) {
      throw toSyntaxError(error);
    }
  }

  render(source: string, part: string, { variables, snippets, now }: RenderInput, until: number): string {
    try {
      const context = new Context(
        variables,
        this.engine.options,
        { sync: true, globals: { now: now.toISOString() }, renderLimit: until - performance.now() },
        { liquid: this.engine },
      );
      const find: FindSnippet = (name) =>
        Object.hasOwn(snippets, name) ? this.parse(snippets[name]!, `snippet ${name}`) : null;
      giveSnippets(context, find);
      return bounded(this.engine.renderSync(this.parse(source, part), context as object) as string, part);
    } catch (error) {
      throw toRenderFailure(error, part);
    }
  }
}

const html = new Renderer(true);
const plain = new Renderer(false);

export function parse(source: string): Template[] {
  return html.parse(source, 'body');
}

export const hasLiquid = (source: string): boolean => source.includes('{{') || source.includes('{%');

/** Values are never parsed as Liquid. Throws RenderFailure. */
export function render(content: MessageTexts, given: RenderInput): MessageTexts {
  const until = performance.now() + renderMs;
  return {
    subject: header(plain.render(content.subject, 'subject', given, until)),
    html: html.render(content.html, 'body', given, until),
    text: content.text === null ? null : plain.render(content.text, 'text', given, until),
  };
}

export interface TextsSource {
  texts: string[];
  variables: Record<string, unknown>;
  now: Date;
}

/** Text without markup, such as parts of a webhook: nothing is escaped. Throws RenderFailure. */
export function renderTexts({ texts, ...given }: TextsSource): string[] {
  const until = performance.now() + renderMs;
  return texts.map((text) => plain.render(text, 'text', { ...given, snippets: {} }, until));
}

/** A rendered subject is checked as a header again, because values may contain line breaks (docs/guarantees.md §6). */
function header(subject: string): string {
  if (/[\r\n\u2028\u2029\u0000]/.test(subject))
    throw new RenderFailure('subject: the rendered subject is not one line');
  if (subject.length > maxSubject)
    throw new RenderFailure(`subject: the rendered subject is longer than ${maxSubject} characters`);
  return subject;
}

function bounded(text: string, part: string): string {
  if (Buffer.byteLength(text) > maxOutput)
    throw new RenderFailure(`${part}: the result is larger than ${maxOutput / 1024 / 1024} MiB`);
  return text.toWellFormed();
}

export { LiquidSyntaxError, RenderFailure };

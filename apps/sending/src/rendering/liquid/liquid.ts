import { Context, type Liquid, type Template } from 'liquidjs';
import { LiquidSyntaxError, RenderFailure, toRenderFailure, toSyntaxError } from './liquid-errors.js';
import { createEngine, maxOutput, renderMs, type EngineKind } from './liquid-engine.js';
import type { DateGlobals } from './dates.js';
import { MailParser, countTags } from './liquid-parser.js';
import { giveSnippets, type FindSnippet } from './snippet-tag.js';

interface Entry {
  templates: Template[];
  weight: number;
}

const tagBytes = 1_024;

class ParsedSources {
  private readonly stored = new Map<string, Entry>();
  private weight = 0;

  constructor(
    private readonly parse: (source: string, file: string) => Template[],
    private readonly maxWeight: number,
  ) {}

  of(source: string, file: string): Template[] {
    const key = `${file}\n${source}`;
    const known = this.stored.get(key);
    if (known) {
      this.stored.delete(key);
      this.stored.set(key, known);
      return known.templates;
    }
    const templates = this.parse(source, file);
    this.keep(key, { templates, weight: 2 * source.length + countTags(source) * tagBytes });
    return templates;
  }

  private keep(key: string, stored: Entry): void {
    if (stored.weight > this.maxWeight) return;
    this.stored.set(key, stored);
    this.weight += stored.weight;
    for (const [oldest, { weight }] of this.stored) {
      if (this.weight <= this.maxWeight) break;
      this.stored.delete(oldest);
      this.weight -= weight;
    }
  }
}

export interface MessageTexts {
  subject: string;
  html: string;
  text: string | null;
  /** The display name of the sender. */
  fromName?: string;
}

/** Rendering is a pure function of this: the same input gives the same bytes. */
export interface RenderInput {
  variables: Record<string, unknown>;
  snippets: Record<string, string>;
  now: Date;
  /** The project's, for dates whose own zone does not exist; UTC by default. */
  timeZone?: string;
}

/** What a template asked for in vain. */
export interface RenderNotes {
  unknownZones: Set<string>;
}

const cacheBytes = 8 * 1024 * 1024;

class Renderer {
  private readonly engine: Liquid;
  private readonly sources: ParsedSources;

  constructor(kind: EngineKind) {
    const engine = createEngine(kind);
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

  render(source: string, part: string, given: RenderInput & Partial<RenderNotes>, until: number): string {
    const { variables, snippets, now, timeZone, unknownZones } = given;
    try {
      const context = new Context(
        variables,
        this.engine.options,
        {
          sync: true,
          globals: { now: now.toISOString(), timeZone, unknownZones } satisfies DateGlobals,
          renderLimit: until - performance.now(),
        },
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

const html = new Renderer('html');
const plain = new Renderer('plain');
const documents = new Renderer('document');

export function parse(source: string): Template[] {
  return html.parse(source, 'body');
}

export const hasLiquid = (source: string): boolean => source.includes('{{') || source.includes('{%');

/** Values are never parsed as Liquid. Throws RenderFailure. */
export function render(content: MessageTexts, given: RenderInput & Partial<RenderNotes>): MessageTexts {
  const until = performance.now() + renderMs;
  const { fromName } = content;
  return {
    ...(fromName === undefined ? {} : { fromName: header('from', fromName, given, until) }),
    subject: header('subject', content.subject, given, until),
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
  return texts.map((text) => documents.render(text, 'text', { ...given, snippets: {} }, until));
}

const maxOf = { subject: 998, from: 255 } as const;
const nameOf = { subject: 'subject', from: "sender's name" } as const;
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** Values may contain line breaks, which would begin another header (docs/guarantees.md §6); they become blanks. */
function header(
  part: keyof typeof maxOf,
  source: string,
  given: RenderInput & Partial<RenderNotes>,
  until: number,
): string {
  const rendered = plain.render(source, part, given, until);
  const line = /[\p{Cc}\u2028\u2029]/u.test(rendered) ? oneLine(rendered) : rendered;
  if (line.length > maxOf[part])
    throw new RenderFailure(`${part}: the rendered ${nameOf[part]} is longer than ${maxOf[part]} characters`);
  return line;
}

function bounded(text: string, part: string): string {
  if (Buffer.byteLength(text) > maxOutput)
    throw new RenderFailure(`${part}: the result is larger than ${maxOutput / 1024 / 1024} MiB`);
  return text.toWellFormed();
}

export { LiquidSyntaxError, RenderFailure };

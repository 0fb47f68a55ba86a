import juice from 'juice';
import mjml from 'mjml';
import { Parser } from 'htmlparser2';
import { lineStarts, positionOf } from './liquid/positions.js';
import { blanked, blankSpans, type Span, spansIn } from './spans.js';

const liquidMarks = [
  ['{{', '}}'],
  ['{%', '%}'],
] as const;

export interface CompiledMjml {
  html: string;
  faults: MjmlFault[];
}

/** Compiled when the template is saved; Liquid in it stays. Nothing is read from disk or network; no font of a third party is added. */
export async function compileMjml(source: string): Promise<CompiledMjml> {
  if (!/<mjml[\s>]/.test(source))
    return { html: '', faults: [{ line: 1, column: 1, message: 'MJML begins with <mjml>' }] };
  const structure = structureOf(source);
  if (structure.faults.length > 0) return { html: '', faults: structure.faults };
  const liquid = standIns(blanked(source, structure.comments, ' '));
  const { html, errors } = await compiled(liquid.text);
  const inlined = juice(html, {
    applyWidthAttributes: false,
    applyHeightAttributes: false,
    applyAttributesTableElements: false,
  });
  const positionIn = positionsOf(source);
  const faults = errors
    // The value of a variable is known later.
    .filter(({ message }) => !(/^Attribute \S+ has invalid value/.test(message) && liquid.isIn(message)))
    .map(({ line, tagName, message }) => ({
      ...positionIn(line, tagName),
      message: liquid.restore(message),
    }));
  return { html: liquid.restore(inlined), faults: [...faults, ...lostLiquid(source, inlined, liquid)] };
}

async function compiled(source: string): ReturnType<typeof mjml> {
  try {
    return await mjml(source, {
      validationLevel: 'soft',
      keepComments: false,
      ignoreIncludes: true,
      fonts: {},
    });
  } catch (error) {
    return {
      html: '',
      errors: [{ line: 1, message: (error as Error).message, tagName: 'mjml', formattedMessage: '' }],
    };
  }
}

function positionsOf(source: string): (line: number, tag: string) => { line: number; column: number } {
  const lines = source.split('\n');
  return (line, tag) => ({ line, column: Math.max(0, (lines[line - 1] ?? '').indexOf(`<${tag}`)) + 1 });
}

/** In an attribute from which the compiler calculates, or among the rules of a style. Rules that match nothing say nothing. */
function lostLiquid(source: string, html: string, liquid: StandIns): MjmlFault[] {
  const starts = lineStarts(source);
  const at = (index: number, message: string): MjmlFault => {
    const [line, column] = positionOf(starts, index);
    return { line, column, message };
  };
  const lost = liquid.notIn(html).filter(({ start, end }) => !isValueInStyle(source, start, end));
  if (lost.length > 0) return lost.map(({ start }) => at(start, misplacedText));
  if (!/NaN/.test(html) || /NaN/.test(source)) return [];
  const sized = liquid.all.filter(({ start }) =>
    sizeAttribute.test(source.slice(Math.max(0, start - 200), start)),
  );
  return (sized.length > 0 ? sized : liquid.all.slice(0, 1)).map(({ start }) => at(start, misplacedText));
}

const misplacedText =
  'Liquid cannot stand here: MJML calculates with this size, and in a style only the values of properties may vary';

const sizeAttribute = /\s[\w-]*(?:width|height|padding|border|size|spacing|radius)[\w-]*\s*=\s*["'][^"'<>]*$/;

function isValueInStyle(source: string, start: number, end: number): boolean {
  const style = source.lastIndexOf('<mj-style', start);
  const before = source.slice(Math.max(style, start - 1_000), start);
  const isOpen = style !== -1 && source.indexOf('</mj-style', style) > start;
  const inAttributes =
    source.lastIndexOf('<mj-attributes', start) !== -1 && source.indexOf('</mj-attributes', end) !== -1;
  return inAttributes || (isOpen && /[{;][^{};:]*:[^{};]*$/.test(before));
}

/** A text with a word in place of each piece of Liquid, for tools that know none and would change or drop it. */
interface StandIns {
  text: string;
  all: readonly Span[];
  restore(text: string): string;
  isIn(text: string): boolean;
  notIn(text: string): Span[];
}

function standIns(source: string): StandIns {
  const prefix = freeWord(source);
  const all = Array.from(spansIn(source, liquidMarks));
  const parts: string[] = [];
  let from = 0;
  all.forEach(({ start, end }, index) => {
    const breaks = source.slice(start, end).replace(/[^\n]/g, '');
    // The line breaks keep the line numbers of what follows.
    parts.push(source.slice(from, start), `${prefix}${index}z`, breaks);
    from = end;
  });
  const word = new RegExp(`${prefix}(\\d+)z`, 'g');
  const pieceOf = (index: string): string => {
    const { start, end } = all[Number(index)]!;
    return source.slice(start, end);
  };
  return {
    text: parts.join('') + source.slice(from),
    all,
    restore: (text) => text.replace(word, (_, index: string) => pieceOf(index)),
    isIn: (text) => text.includes(prefix),
    notIn: (text) => {
      const kept = new Set(Array.from(text.matchAll(word), ([, index]) => Number(index)));
      return all.filter((_, index) => !kept.has(index));
    },
  };
}

/** One that is a name in CSS, too, and never occurs in the source. */
function freeWord(source: string): string {
  const taken = source.toLowerCase();
  let word = 'lq';
  while (taken.includes(word)) word += 'q';
  return word;
}

interface MjmlFault {
  line: number;
  column: number;
  message: string;
}

/** Stands for Liquid, so that quotes and brackets in it are not taken for markup. */
const hidden = '\u0001';
/** Elements whose content the compiler takes as it is; in the others only elements count. */
const withContent = new Set([
  ...['mj-text', 'mj-button', 'mj-raw', 'mj-table', 'mj-style', 'mj-title', 'mj-preview', 'mj-navbar-link'],
  ...['mj-accordion-title', 'mj-accordion-text', 'mj-social-element', 'mj-html-attribute'],
]);
const once = new Set(['mj-head', 'mj-body']);

interface Open {
  name: string;
  at: number;
}

/** What is in them is shown as text, comments too. */
const ofText = new Set(['mj-title', 'mj-html-attribute']);

interface MjmlStructure {
  /** What the compiler would drop without a word: it reads MJML as a browser reads HTML. */
  faults: MjmlFault[];
  /** Those between elements; in the content of one they may be conditional, and stay. */
  comments: Span[];
}

function structureOf(source: string): MjmlStructure {
  const starts = lineStarts(source);
  const faults: MjmlFault[] = [];
  const comments: Span[] = [];
  const open: Open[] = [];
  const seen = new Set<string>();
  let content: Open | null = null;
  const report = (at: number, message: string): void => {
    const [line, column] = positionOf(starts, at);
    faults.push({ line, column, message });
  };
  const parser: Parser = new Parser(
    {
      onopentag(name) {
        if (content) return;
        const at = parser.startIndex;
        if (open.length === 0 && seen.has('mjml')) report(at, `<${name}> stands after </mjml>`);
        if (once.has(name) && seen.has(name)) report(at, `there is a second <${name}>`);
        if (name === 'mj-include') report(at, '<mj-include> is not read: put its content here');
        seen.add(name);
        open.push({ name, at });
        if (withContent.has(name)) content = open.at(-1)!;
      },
      onclosetag(name, isImplied) {
        const closed = open.at(-1);
        if (!closed || closed.name !== name || (content && content !== closed)) return;
        if (isImplied && parser.startIndex !== closed.at) report(closed.at, `<${name}> is not closed`);
        open.pop();
        content = null;
      },
      ontext(text) {
        const first = text.search(/\S/);
        if (content || first === -1) return;
        report(
          parser.startIndex + first,
          text[first] === hidden
            ? 'Liquid between MJML elements stands in <mj-raw>'
            : 'text between MJML elements stands in <mj-text> or <mj-raw>',
        );
      },
      oncomment(comment) {
        const { startIndex: start, endIndex } = parser;
        if (!content && conditional.test(comment))
          report(start, 'a conditional comment between MJML elements stands in <mj-raw>');
        else if (!content && leavesBlockOpen(source.slice(start, endIndex + 1)))
          report(start, 'Liquid between MJML elements stands in <mj-raw>');
        if (!content || ofText.has(content.name)) comments.push({ start, end: endIndex + 1 });
      },
    },
    { recognizeCDATA: true, decodeEntities: false, recognizeSelfClosing: true },
  );
  parser.end(blankSpans(source, liquidMarks, hidden));
  return { faults, comments };
}

const conditional = /^(?:\[if|<!\[)/i;
const blockTag = /\{%-?\s*(end)?(?:if|unless|for|case|capture|tablerow|else|elsif|when)\b/g;

/** Part of a block whose other parts stand elsewhere, so that it is more than a remark. */
function leavesBlockOpen(comment: string): boolean {
  let depth = 0;
  for (const [tag, end] of comment.matchAll(blockTag)) {
    if (!/(?:else|elsif|when)$/.test(tag)) depth += end ? -1 : 1;
    else if (depth === 0) return true;
    if (depth < 0) return true;
  }
  return depth !== 0;
}

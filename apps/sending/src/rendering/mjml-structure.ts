import { Parser } from 'htmlparser2';
import { lineStarts, positionOf } from './liquid/positions.js';
import { blankSpans, type Span } from './spans.js';

export interface MjmlFault {
  line: number;
  column: number;
  message: string;
}

const liquidMarks = [
  ['{{', '}}'],
  ['{%', '%}'],
] as const;
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

export interface MjmlStructure {
  /** What the compiler would drop without a word: it reads MJML as a browser reads HTML. */
  faults: MjmlFault[];
  /** Those between elements; in the content of one they may be conditional, and stay. */
  comments: Span[];
}

export function structureOf(source: string): MjmlStructure {
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

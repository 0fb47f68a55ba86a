import {
  boundedText,
  type Finding,
  type FindingSeverity,
  type LintRule,
  type EmailCategory,
} from '@posthorn/contracts';
import { textFromHtml } from '@posthorn/mail';
import { Parser } from 'htmlparser2';
import { snippetsOf, variablesOf } from './analysis.js';
import { hasLiquid } from './liquid/liquid.js';
import { lineStarts, positionOf } from './liquid/positions.js';
import { blankSpans } from './spans.js';
import { lackingContrast, lookOf, plainLook, type Look } from './styles.js';

export interface Linted {
  html: string;
  sources: string[];
  snippets: Record<string, string>;
  category: EmailCategory;
  /** Found while it was rendered. */
  unknownZones?: ReadonlySet<string>;
}

type Report = (rule: LintRule, texts: string, index?: number) => void;

const maxBytes = 102 * 1024;
const maxPerRule = 20;
const unknown = '\u0001';

const rules: Readonly<Record<LintRule, { severity: FindingSeverity; fix: string }>> = {
  too_large: { severity: 'WARNING', fix: 'Shorten it, or move styles that repeat into fewer elements.' },
  image_without_alt: {
    severity: 'WARNING',
    fix: 'Say what it shows in alt, or alt="" where it only decorates.',
  },
  insecure_image: { severity: 'WARNING', fix: 'Serve it over https.' },
  broken_link: { severity: 'ERROR', fix: 'Give the whole address, beginning with https://.' },
  no_text: {
    severity: 'WARNING',
    fix: 'Describe in text what the mail is about: not everybody sees its images.',
  },
  unsubscribe_missing: { severity: 'ERROR', fix: 'Link to {{ unsubscribe_url }} or {{ manage_url }}.' },
  unknown_snippet: {
    severity: 'ERROR',
    fix: 'Create it, or correct its name: until then nothing stands there.',
  },
  form: { severity: 'ERROR', fix: 'Link to a page with the form: mail programs show none.' },
  script: { severity: 'ERROR', fix: 'Leave it out: mail programs run none, and may refuse the mail.' },
  low_contrast: {
    severity: 'WARNING',
    fix: 'Choose a darker or a lighter colour: 4.5 to 1, or 3 to 1 for large text.',
  },
  unknown_time_zone: {
    severity: 'WARNING',
    fix: 'Name one of the IANA database, such as Europe/Berlin.',
  },
};

export function lint(mail: Linted): Finding[] {
  const findings: Finding[] = [];
  const counts = new Map<LintRule, number>();
  const locationOf = locationsIn(mail.html);
  const report: Report = (rule, message, index) => {
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    if (counts.get(rule)! > maxPerRule) return;
    const location = index === undefined ? null : locationOf(index);
    findings.push({ rule, ...rules[rule], message: boundedText(message, 500), place: location });
  };
  lintWhole(mail, report);
  lintSnippets(mail, (finding) => findings.push(finding));
  lintElements(hideLiquid(mail.html), report);
  for (const zone of mail.unknownZones ?? [])
    report('unknown_time_zone', `There is no time zone ${zone}; the project's is used.`);
  return findings;
}

function lintWhole({ html, sources, snippets, category }: Linted, report: Report): void {
  const bytes = Buffer.byteLength(html);
  if (bytes > maxBytes)
    report(
      'too_large',
      `The HTML has ${Math.ceil(bytes / 1024)} kB: beyond 102 kB some readers see only its beginning.`,
    );
  if (
    textFromHtml(html)
      .replace(/\[[^[\]]*\]/g, '')
      .trim() === ''
  )
    report('no_text', 'The mail has no text.');
  if (category === 'MARKETING') {
    const names = sources.flatMap((source) => variablesOf(source, snippets)).map(({ name }) => name);
    if (!names.includes('unsubscribe_url') && !names.includes('manage_url')) {
      report('unsubscribe_missing', 'A marketing mail needs a link by which its reader can unsubscribe.');
    }
  }
}

function lintSnippets({ sources, snippets }: Linted, add: (finding: Finding) => void): void {
  const parts: [where: string, source: string][] = [
    ...sources.map((source): [string, string] => ['', source]),
    ...Object.entries(snippets).map(([name, body]): [string, string] => [`snippet ${name}, `, body]),
  ];
  for (const [where, source] of parts) {
    for (const { name, line, column } of hasLiquid(source) ? snippetsOf(source) : []) {
      if (Object.hasOwn(snippets, name)) continue;
      const location = `${where}line ${line}, column ${column}`;
      add({
        rule: 'unknown_snippet',
        ...rules.unknown_snippet,
        message: `There is no snippet ${name}.`,
        place: location,
      });
    }
  }
}

const voids = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
const unseen = new Set(['style', 'script', 'title', 'head']);

function lintElements(html: string, report: Report): void {
  const open: { name: string; look: Look; published: boolean; isUnseen: boolean }[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      lintElement(name, attributes, (rule, texts) => report(rule, texts, parser.startIndex));
      const look = lookOf(name, attributes, open.at(-1)?.look ?? plainLook);
      const { published = false, isUnseen = false } = open.at(-1) ?? {};
      if (!voids.has(name)) open.push({ name, look, published, isUnseen: isUnseen || unseen.has(name) });
    },
    ontext(text) {
      const within = open.at(-1);
      if (!within || within.published || within.isUnseen || text.trim() === '') return;
      const contrast = lackingContrast(within.look);
      if (contrast === null) return;
      within.published = true;
      report(
        'low_contrast',
        `The text stands out from its background by ${contrast.toFixed(1)} to 1 only.`,
        parser.startIndex,
      );
    },
    onclosetag(name) {
      const at = open.findLastIndex((element) => element.name === name);
      if (at !== -1) open.splice(at);
    },
  });
  parser.end(html);
}

function lintElement(name: string, attributes: Readonly<Record<string, string>>, report: Report): void {
  const { src, href, alt } = attributes;
  if (name === 'img' && alt === undefined) report('image_without_alt', `The image ${shown(src)} has no alt.`);
  if (name === 'img' && /^http:/i.test(src?.trim() ?? ''))
    report('insecure_image', `The image ${shown(src)} is not fetched over https.`);
  if ((name === 'a' || name === 'area') && href !== undefined) lintLink(href.trim(), report);
  if (name === 'form' || name === 'input' || name === 'select' || name === 'textarea')
    report('form', `The mail has <${name}>.`);
  const handler = Object.keys(attributes).find((attribute) => /^on[a-z]+$/.test(attribute));
  if (name === 'script' || handler)
    report('script', `The mail has ${handler ? `a script in ${handler}` : '<script>'}.`);
}

function lintLink(href: string, report: Report): void {
  if (/^javascript:/i.test(href)) report('script', 'A link runs a script.');
  else if (!href.startsWith(unknown) && !leadsSomewhere(href))
    report('broken_link', `The link ${shown(href)} leads nowhere.`);
}

/** Anchors work within the mail; other links need a scheme, since a mail has no base URL. */
function leadsSomewhere(href: string): boolean {
  const address = href.replaceAll(unknown, 'x');
  return (
    /^#/.test(address) ||
    (/^[a-z][a-z0-9+.-]*:/i.test(address) && URL.canParse(address) && !/^https?:\/*$/i.test(address))
  );
}

const shown = (address = ''): string =>
  address === ''
    ? 'without an address'
    : address.replaceAll(unknown, '…').replace(/…+/g, '{{ … }}').slice(0, 200);

const liquidMarks = [
  ['{{', '}}'],
  ['{%', '%}'],
] as const;
const hideLiquid = (html: string): string => blankSpans(html, liquidMarks, unknown);

function locationsIn(text: string): (index: number) => string {
  const starts = lineStarts(text);
  return (index) => {
    const [line, column] = positionOf(starts, index);
    return `line ${line}, column ${column}`;
  };
}

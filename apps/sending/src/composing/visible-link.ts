import { Parser } from 'htmlparser2';
import {
  contrastOf,
  declarationsOf,
  importantIn,
  lookOf,
  plainLook,
  type Look,
} from '../rendering/styles.js';

type Attributes = Readonly<Record<string, string>>;

interface Open {
  name: string;
  look: Look;
  hidden: boolean;
  leads: boolean;
}

const voids = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
const unseen = new Set([
  'style',
  'script',
  'title',
  'head',
  'template',
  'noscript',
  'object',
  'audio',
  'video',
]);
/** The eye tells no colours apart that are nearer. */
const leastContrast = 1.25;
const leastSize = 5;
const nothing = /^(?:0+(?:\.\d+)?|\.\d+|0?\.0\d*|1)(?:px|pt|em|rem|%)?$/;
const blank = /^[\s\u00ad\u034f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u00a0]*$/;

/** Whether a reader can see, and so use, a link that begins with one of the prefixes. */
export function hasVisibleLink(html: string, prefixes: readonly string[]): boolean {
  if (!prefixes.some((prefix) => html.includes(prefix))) return false;
  const hiding = /<style/i.test(html) ? hidingRules(html) : [];
  const open: Open[] = [];
  let found = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      const { look: inherited, hidden, leads }: Open = open.at(-1) ?? { ...outermost, name };
      const look = lookOf(name, attributes, inherited);
      const href = (attributes['href'] ?? '').trim();
      const element: Open = {
        name,
        look,
        hidden: hidden || unseen.has(name) || hides(attributes) || isHiddenBy(hiding, name, attributes),
        leads: name === 'a' ? prefixes.some((prefix) => href.startsWith(prefix)) : leads,
      };
      if (name === 'img' && element.leads && !element.hidden && isVisibleImage(attributes)) found = true;
      if (!voids.has(name)) open.push(element);
    },
    ontext(text) {
      const within = open.at(-1);
      if (!within?.leads || within.hidden || blank.test(text)) return;
      const { look } = within;
      if (!look.hidden && look.size >= leastSize && contrastOf(look.colour, look.background) >= leastContrast)
        found = true;
    },
    onclosetag(name) {
      const at = open.findLastIndex((element) => element.name === name);
      if (at !== -1) open.splice(at);
    },
  });
  parser.end(html);
  return found;
}

const outermost: Omit<Open, 'name'> = { look: plainLook, hidden: false, leads: false };

function isVisibleImage({ src = '', width = '', height = '' }: Attributes): boolean {
  return src.trim() !== '' && !nothing.test(width.trim()) && !nothing.test(height.trim());
}

const hides = (attributes: Attributes): boolean =>
  attributes['hidden'] !== undefined || hiddenBy(declarationsOf(attributes['style'] ?? '')).length > 0;

function isHiddenBy(rules: readonly HidingRule[], name: string, attributes: Attributes): boolean {
  const matching = rules.filter(({ matches }) => matches(name, attributes));
  if (matching.length === 0) return false;
  const own = importantIn(attributes['style'] ?? '');
  return matching.some(({ properties }) => properties.some((property) => !own.has(property)));
}

const away = /^-\d{3,}/;
const hidingValues: Readonly<Record<string, RegExp>> = {
  display: /^none$/,
  visibility: /^(?:hidden|collapse)$/,
  'mso-hide': /^all$/,
  opacity: /^(?:0+(?:\.0\d*)?|\.0\d*)%?$/,
  'font-size': nothing,
  height: nothing,
  'max-height': nothing,
  width: nothing,
  'max-width': nothing,
  color: /^transparent$|^rgba\([^)]*,\s*0(?:\.0+)?\s*\)$/,
  'text-indent': away,
  left: away,
  top: away,
  'margin-left': away,
  'margin-top': away,
  clip: /^rect\(/,
  transform: /scale\(\s*0/,
};

/** The properties whose values hide. */
const hiddenBy = (declarations: ReadonlyMap<string, string>): string[] =>
  Object.entries(hidingValues).flatMap(([property, value]) =>
    value.test(declarations.get(property) ?? '') ? [property] : [],
  );

type Matches = (name: string, attributes: Attributes) => boolean;

interface HidingRule {
  matches: Matches;
  properties: string[];
}

/** Of classes, ids and elements in style elements; what holds on some screens only is not considered. */
function hidingRules(html: string): HidingRule[] {
  const found: HidingRule[] = [];
  let depth = 0;
  let selectors = '';
  // Split once: expressions for whole rules take quadratic time where nothing closes them.
  for (const piece of stylesIn(html).split(/(?=[{}])/)) {
    const text = piece.replace(/^[{}]/, '');
    if (piece.startsWith('{')) depth += 1;
    if (piece.startsWith('}')) depth = Math.max(0, depth - 1);
    if (depth === 0) selectors = text;
    else if (depth === 1 && piece.startsWith('{')) {
      const properties = hiddenBy(declarationsOf(text));
      if (properties.length > 0)
        found.push(
          ...selectors
            .split(',')
            .flatMap(matcherOf)
            .map((matches) => ({ matches, properties })),
        );
    }
    if (found.length >= maxSelectors) break;
  }
  return found;
}

const maxStyles = 64 * 1024;
const maxSelectors = 100;

function stylesIn(html: string): string {
  let styles = '';
  let inStyle = false;
  const parser = new Parser({
    onopentag: (name) => void (inStyle = name === 'style'),
    ontext: (text) => void (inStyle && styles.length < maxStyles && (styles += text)),
    onclosetag: () => void (inStyle = false),
  });
  parser.end(html);
  return styles.slice(0, maxStyles).replaceAll('/*', ' ').replaceAll('*/', ' ');
}

function matcherOf(selector: string): Matches[] {
  const [, element, mark, value] = /^\s*([a-z][\w-]*)?(?:([.#])([\w-]+))?\s*$/i.exec(selector) ?? [];
  if (!element && !value) return [];
  return [
    (name, { id = '', class: classes = '' }) =>
      (!element || element.toLowerCase() === name) &&
      (!value || (mark === '#' ? id === value : classes.split(/\s+/).includes(value))),
  ];
}

import { Parser } from 'htmlparser2';
import { contrastOf } from '../rendering/contrast.js';
import { declarationsOf, lookOf, plainLook, type Look } from '../rendering/styles.js';

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
  const hiding = hidingSelectors(html);
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
        hidden:
          hidden ||
          unseen.has(name) ||
          hides(attributes) ||
          hiding.some((matches) => matches(name, attributes)),
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
  attributes['hidden'] !== undefined || hidesBy(declarationsOf(attributes['style'] ?? ''));

function hidesBy(style: ReadonlyMap<string, string>): boolean {
  const is = (property: string, value: RegExp): boolean => value.test(style.get(property) ?? '');
  return (
    is('display', /^none$/) ||
    is('visibility', /^(?:hidden|collapse)$/) ||
    is('mso-hide', /^all$/) ||
    ['opacity', 'font-size', 'height', 'max-height', 'width', 'max-width'].some((name) =>
      is(name, nothing),
    ) ||
    is('color', /^transparent$|^rgba\([^)]*,\s*0(?:\.0+)?\s*\)$/) ||
    ['text-indent', 'left', 'top', 'margin-left', 'margin-top'].some((name) => is(name, /^-\d{3,}/)) ||
    is('clip', /^rect\(/) ||
    is('transform', /scale\(\s*0/)
  );
}

type Matches = (name: string, attributes: Attributes) => boolean;

/** Of classes, ids and elements in style elements; what holds on some screens only is not considered. */
function hidingSelectors(html: string): Matches[] {
  const styles = [...html.matchAll(/<style\b[^>]*>([^<]*)/gi)].map(([, style]) => style!.slice(0, 65_536));
  return styles.flatMap((style) =>
    [...style.matchAll(/([^{}@;]+)\{([^{}]*)\}/g)].flatMap(([whole, selectors, body]) => {
      const nested =
        style.lastIndexOf('@', style.indexOf(whole!)) > style.lastIndexOf('}', style.indexOf(whole!));
      return nested || !hidesBy(declarationsOf(body!)) ? [] : selectors!.split(',').flatMap(matcherOf);
    }),
  );
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

import juice from 'juice';
import mjml from 'mjml';
import { lineStarts, positionOf } from './liquid/positions.js';
import { structureOf, type MjmlFault } from './mjml-structure.js';
import { blanked } from './spans.js';
import { standIns, type StandIns } from './stand-ins.js';

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

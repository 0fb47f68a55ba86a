import { contrastOf, parseColour, type Colour } from './contrast.js';

export interface Look {
  colour: Colour;
  background: Colour;
  size: number;
  bold: boolean;
  hidden: boolean;
}

export const plainLook: Look = {
  colour: [0, 0, 0],
  background: [255, 255, 255],
  size: 16,
  bold: false,
  hidden: false,
};

const headings: Readonly<Record<string, number>> = { h1: 32, h2: 24, h3: 18.72 };

export function lookOf(name: string, attributes: Readonly<Record<string, string>>, inherited: Look): Look {
  const style = declarationsOf(attributes['style'] ?? '');
  const background =
    style.get('background-color') ??
    /^(?:rgb\([^)]*\)|\S+)/.exec(style.get('background') ?? '')?.[0] ??
    attributes['bgcolor'] ??
    '';
  const size = /^([\d.]+)(?:px)?$/.exec(style.get('font-size') ?? '')?.[1];
  const weight =
    style.get('font-weight') ?? (name in headings || name === 'b' || name === 'strong' ? 'bold' : '');
  return {
    colour: parseColour(style.get('color') ?? attributes['color'] ?? '') ?? inherited.colour,
    background: parseColour(background) ?? inherited.background,
    size: size === undefined ? (headings[name] ?? inherited.size) : Number(size),
    hidden: inherited.hidden || style.get('display') === 'none' || style.get('opacity') === '0',
    bold: weight === '' ? inherited.bold : /^(bold|bolder|[7-9]00)$/.test(weight),
  };
}

export function lackingContrast({ colour, background, size, bold, hidden }: Look): number | null {
  const large = size >= 24 || (bold && size >= 18.66);
  const contrast = contrastOf(colour, background);
  return !hidden && size > 1 && contrast < (large ? 3 : 4.5) ? contrast : null;
}

/** The names of what no rule of a style element overrides. */
export function importantIn(style: string): Set<string> {
  return new Set(
    style
      .split(';')
      .filter((declaration) => /!important/i.test(declaration))
      .map((declaration) =>
        declaration
          .slice(0, Math.max(0, declaration.indexOf(':')))
          .trim()
          .toLowerCase(),
      ),
  );
}

export function declarationsOf(style: string): Map<string, string> {
  return new Map(
    style.split(';').map((declaration): [string, string] => {
      const colon = declaration.indexOf(':');
      const value = declaration.slice(colon + 1).replace(/!important/i, '');
      return [declaration.slice(0, Math.max(0, colon)).trim().toLowerCase(), value.trim().toLowerCase()];
    }),
  );
}

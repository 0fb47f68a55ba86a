type Colour = readonly [red: number, green: number, blue: number];

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

const named: Readonly<Record<string, string>> = {
  black: '000000', white: 'ffffff', red: 'ff0000', green: '008000', blue: '0000ff', yellow: 'ffff00', gray: '808080', grey: '808080',
  silver: 'c0c0c0', maroon: '800000', navy: '000080', teal: '008080', olive: '808000', purple: '800080', orange: 'ffa500',
  lightgray: 'd3d3d3', lightgrey: 'd3d3d3', darkgray: 'a9a9a9', darkgrey: 'a9a9a9',
}; // prettier-ignore

function parseColour(text: string): Colour | null {
  const term = text.trim().toLowerCase();
  const hex =
    /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(term)?.[1] ?? (Object.hasOwn(named, term) ? named[term] : undefined);
  if (hex) return fromHex(hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex);
  const parts = /^rgb\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*\)$/.exec(term);
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : null;
}

export function contrastOf(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

const fromHex = (hex: string): Colour =>
  [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour;

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

import juice from 'juice';
import mjml from 'mjml';
import { lineStarts, positionOf } from './liquid/positions.js';
import { blankSpans, spansIn } from './spans.js';

export interface CompiledMjml {
  html: string;
  faults: { line: number; message: string }[];
}

/** Compiled when the template is saved; Liquid in it stays. Nothing is read from disk or network; no font of a third party is added. */
export async function compileMjml(source: string): Promise<CompiledMjml> {
  if (!/<mjml[\s>]/.test(source))
    return { html: '', faults: [{ line: 1, message: 'MJML begins with <mjml>' }] };
  const { html, errors } = await compiled(source);
  const inlined = juice(html, {
    applyWidthAttributes: false,
    applyHeightAttributes: false,
    applyAttributesTableElements: false,
  });
  const faults = errors.map(({ line, message }) => ({ line, message }));
  return { html: inlined, faults: [...faults, ...lostTags(source, inlined)] };
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

const tagMarks = [['{%', '%}']] as const;

/** MJML silently drops text between its elements, so a loop around a section would render once. */
function lostTags(source: string, html: string): CompiledMjml['faults'] {
  const uncommented = blankSpans(source, [['<!--', '-->']], ' ');
  const kept = new Set(Array.from(spansIn(html, tagMarks), ({ start, end }) => html.slice(start, end)));
  const starts = lineStarts(uncommented);
  return Array.from(spansIn(uncommented, tagMarks)).flatMap(({ start, end }) => {
    if (kept.has(uncommented.slice(start, end))) return [];
    const [line] = positionOf(starts, start);
    return [{ line, message: 'Liquid between MJML elements stands in <mj-raw>' }];
  });
}

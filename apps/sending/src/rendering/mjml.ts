import juice from 'juice';
import mjml from 'mjml';

export interface CompiledMjml {
  html: string;
  /** Why it is no MJML, or loses something of it. */
  faults: { line: number; message: string }[];
}

/**
 * To HTML with its styles inlined, once, when it is saved. Liquid in it stays Liquid; nothing is read from disk or network, and
 * no reader is sent to a host for fonts that the mail does not name itself.
 */
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

/** Text between MJML's own elements is dropped without a word: a loop around a section would render once. */
function lostTags(source: string, html: string): CompiledMjml['faults'] {
  const uncommented = source.replace(/<!--.*?-->/gs, (comment) => comment.replace(/[^\n]/g, ' '));
  const faults: CompiledMjml['faults'] = [];
  for (const { 0: tag, index } of uncommented.matchAll(/\{%.*?%\}/gs)) {
    if (!html.includes(tag)) {
      faults.push({
        line: uncommented.slice(0, index).split('\n').length,
        message: 'Liquid between MJML elements stands in <mj-raw>',
      });
    }
  }
  return faults;
}

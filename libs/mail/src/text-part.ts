import { compile } from 'html-to-text';

const toText = compile({
  wordwrap: 76,
  limits: { maxInputLength: 2 ** 24, maxDepth: 128 },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The text part of a message that came with HTML only. */
export function textFromHtml(html: string): string {
  return toText(html);
}

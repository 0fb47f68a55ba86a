import { Parser } from 'htmlparser2';

interface Found {
  doctype: boolean;
  /** Where the elements end that begin the head, and the document. */
  head: number | null;
  html: number | null;
  /** Where the title begins, and whether it says something. */
  title: number | null;
  isTitled: boolean;
  viewport: boolean;
}

/** The HTML of a mail as a page of its own: mail has no title, and often neither a doctype nor a head. */
export function pageOf({
  subject,
  html,
  language,
}: {
  subject: string;
  html: string;
  language: string;
}): string {
  const found = partsOf(html);
  const { doctype, head, html: root, title } = found;
  const text = escaped(subject);
  const missing = [
    ...(title === null ? [`<title>${text}</title>`] : []),
    ...(found.viewport ? [] : ['<meta name="viewport" content="width=device-width, initial-scale=1">']),
  ].join('');
  const ownHead = `<head><meta charset="utf-8">${missing}</head>`;
  if (root === null && head === null)
    return `<!doctype html>\n<html lang="${escaped(language)}">${ownHead}<body>${html}</body></html>`;
  const insertions = [
    { at: head ?? root!, text: head === null ? ownHead : missing },
    ...(title !== null && !found.isTitled ? [{ at: title, text }] : []),
  ];
  const page = insertions
    .sort((one, other) => other.at - one.at)
    .reduce((whole, { at, text: added }) => whole.slice(0, at) + added + whole.slice(at), html);
  return doctype ? page : `<!doctype html>\n${page}`;
}

function partsOf(html: string): Found {
  const found: Found = {
    ...{ doctype: false, head: null, html: null },
    ...{ title: null, isTitled: false, viewport: false },
  };
  let inTitle = false;
  const parser = new Parser({
    onprocessinginstruction: (name) => {
      if (name.toLowerCase() === '!doctype') found.doctype = true;
    },
    onopentag: (name, attributes) => {
      const end = parser.endIndex + 1;
      if (name === 'html') found.html ??= end;
      if (name === 'head') found.head ??= end;
      // One in a drawing is not the page's.
      if (name === 'title' && found.head !== null && found.title === null) {
        found.title = end;
        inTitle = true;
      }
      if (name === 'meta' && attributes['name']?.toLowerCase() === 'viewport') found.viewport = true;
    },
    ontext: (text) => {
      if (inTitle && text.trim() !== '') found.isTitled = true;
    },
    onclosetag: (name) => {
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(html);
  return found;
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

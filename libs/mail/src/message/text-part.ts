import {
  compile,
  type Builder,
  type Formatter,
  type FormatOptions,
  type HtmlElement,
  type Walk,
} from 'html-to-text';

/**
 * A table of data has cells apart and one row a line, because the library would join `<td>a</td><td>b</td>`.
 * Tables that arrange a page keep the blocks of their cells.
 */
const tableFormatters: Readonly<Record<string, Formatter>> = {
  table: (table, walk, builder, options) =>
    (isOfData(table) ? formatData : formatBlock)(table, walk, builder, options),
  row: (row, walk, builder) =>
    formatBlock(row, walk, builder, { leadingLineBreaks: 1, trailingLineBreaks: 1 }),
  cell: (cell, walk, builder) => {
    if (hasCellBefore(cell)) builder.addInline(' ');
    walk(cell.children, builder);
  },
};

const tableSelectors = [
  { selector: 'table', format: 'table' },
  { selector: 'tr', format: 'row' },
  { selector: 'td', format: 'cell' },
  { selector: 'th', format: 'cell' },
];

const parts = new Set(['thead', 'tbody', 'tfoot']);
const isCell = ({ name }: HtmlElement): boolean => name === 'td' || name === 'th';
const elementsIn = ({ children }: HtmlElement): HtmlElement[] =>
  children.filter(({ type }) => type === 'tag');
const rowsOf = (table: HtmlElement): HtmlElement[] =>
  elementsIn(table).flatMap((part) =>
    part.name === 'tr'
      ? [part]
      : parts.has(part.name)
        ? elementsIn(part).filter(({ name }) => name === 'tr')
        : [],
  );

function hasCellBefore(cell: HtmlElement): boolean {
  for (let before = cell.prev; before; before = before.prev) if (isCell(before)) return true;
  return false;
}

function isOfData(table: HtmlElement): boolean {
  if (/^(?:presentation|none)$/i.test(table.attribs['role'] ?? '')) return false;
  const rows = rowsOf(table).map((row) => elementsIn(row).filter(isCell));
  return (
    rows.length > 1 &&
    rows.some((cells) => cells.length > 1) &&
    rows.flat().some(({ name }) => name === 'th') &&
    !hasTable(table)
  );
}

/** Some arrange a page with tables in `<th>`. */
function hasTable(table: HtmlElement): boolean {
  const open = elementsIn(table);
  for (let inner = open.pop(); inner; inner = open.pop()) {
    if (inner.name === 'table') return true;
    open.push(...elementsIn(inner));
  }
  return false;
}

function formatBlock(
  element: HtmlElement,
  walk: Walk,
  builder: Builder,
  { leadingLineBreaks, trailingLineBreaks }: FormatOptions,
): void {
  builder.openBlock({ leadingLineBreaks });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks });
}

function formatData(table: HtmlElement, walk: Walk, builder: Builder, options: FormatOptions): void {
  for (const caption of elementsIn(table).filter(({ name }) => name === 'caption'))
    formatBlock(caption, walk, builder, { leadingLineBreaks: 2, trailingLineBreaks: 1 });
  builder.openTable();
  for (const row of rowsOf(table)) {
    builder.openTableRow();
    for (const cell of elementsIn(row).filter(isCell)) {
      builder.openTableCell({ maxColumnWidth: Number.MAX_SAFE_INTEGER });
      walk(cell.children, builder);
      builder.closeTableCell();
    }
    builder.closeTableRow();
  }
  builder.closeTable({ ...options, tableToString: (rows) => rows.map(lineOf).join('\n') });
}

const lineOf = (cells: readonly { text: string }[]): string =>
  cells
    .map(({ text }) => text.split(/\s*\n\s*/).join(' '))
    .filter((text) => text !== '')
    .join(' ');

const toText = compile({
  wordwrap: 76,
  limits: { maxInputLength: 2 ** 24, maxDepth: 128 },
  formatters: tableFormatters,
  selectors: [
    ...tableSelectors,
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The converter's time grows with open tags: without a limit a megabyte takes minutes. */
const maxTags = 20_000;

export function textFromHtml(html: string): string {
  return toText(html.slice(0, endOfTags(html)));
}

function endOfTags(html: string): number {
  let at = -1;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    at = html.indexOf('<', at + 1);
    if (at === -1) return html.length;
  }
  return at;
}

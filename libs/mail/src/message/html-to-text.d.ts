/** html-to-text 10 ships no types, and those of DefinitelyTyped are for version 9; only what is used here. */
declare module 'html-to-text' {
  interface Selector {
    selector: string;
    format?: string;
    options?: Record<string, unknown>;
  }
  interface HtmlElement {
    type: string;
    name: string;
    attribs: Readonly<Record<string, string>>;
    children: HtmlElement[];
    prev: HtmlElement | null;
  }
  interface FormatOptions {
    leadingLineBreaks?: number;
    trailingLineBreaks?: number;
  }
  interface Builder {
    addInline(text: string): void;
    openBlock(options: FormatOptions): void;
    closeBlock(options: FormatOptions): void;
    openTable(): void;
    openTableRow(): void;
    openTableCell(options: { maxColumnWidth?: number }): void;
    closeTableCell(): void;
    closeTableRow(): void;
    closeTable(options: FormatOptions & { tableToString(rows: { text: string }[][]): string }): void;
  }
  type Walk = (children: HtmlElement[], builder: Builder) => void;
  type Formatter = (element: HtmlElement, walk: Walk, builder: Builder, options: FormatOptions) => void;
  export function compile(options: {
    wordwrap?: number | false;
    limits?: { maxInputLength?: number; maxDepth?: number };
    formatters?: Readonly<Record<string, Formatter>>;
    selectors?: Selector[];
  }): (html: string) => string;
}

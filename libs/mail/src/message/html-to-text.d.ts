/** html-to-text 10 ships no types, and those of DefinitelyTyped are for version 9; only what is used here. */
declare module 'html-to-text' {
  interface Selector {
    selector: string;
    format?: string;
    options?: Record<string, unknown>;
  }
  export function compile(options: {
    wordwrap?: number | false;
    limits?: { maxInputLength?: number; maxDepth?: number };
    selectors?: Selector[];
  }): (html: string) => string;
}

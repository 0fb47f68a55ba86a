import type { Template } from 'liquidjs';
import { countTags } from './liquid-parser.js';

interface Kept {
  templates: Template[];
  weight: number;
}

/** What a parsed tag weighs beside its text, in bytes, roughly. */
const tagBytes = 1_024;

/** Sources are parsed once while they are in use; a source never changes, so its text is its name. */
export class ParsedSources {
  private readonly kept = new Map<string, Kept>();
  private weight = 0;

  constructor(
    private readonly parse: (source: string, file: string) => Template[],
    private readonly maxWeight: number,
  ) {}

  of(source: string, file: string): Template[] {
    const key = `${file}\n${source}`;
    const known = this.kept.get(key);
    if (known) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known.templates;
    }
    const templates = this.parse(source, file);
    this.keep(key, { templates, weight: 2 * source.length + countTags(source) * tagBytes });
    return templates;
  }

  private keep(key: string, kept: Kept): void {
    if (kept.weight > this.maxWeight) return;
    this.kept.set(key, kept);
    this.weight += kept.weight;
    for (const [oldest, { weight }] of this.kept) {
      if (this.weight <= this.maxWeight) break;
      this.kept.delete(oldest);
      this.weight -= weight;
    }
  }
}

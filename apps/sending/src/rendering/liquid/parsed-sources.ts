import type { Template } from 'liquidjs';
import { countTags } from './liquid-parser.js';

interface Entry {
  templates: Template[];
  weight: number;
}

const tagBytes = 1_024;

export class ParsedSources {
  private readonly stored = new Map<string, Entry>();
  private weight = 0;

  constructor(
    private readonly parse: (source: string, file: string) => Template[],
    private readonly maxWeight: number,
  ) {}

  of(source: string, file: string): Template[] {
    const key = `${file}\n${source}`;
    const known = this.stored.get(key);
    if (known) {
      this.stored.delete(key);
      this.stored.set(key, known);
      return known.templates;
    }
    const templates = this.parse(source, file);
    this.keep(key, { templates, weight: 2 * source.length + countTags(source) * tagBytes });
    return templates;
  }

  private keep(key: string, stored: Entry): void {
    if (stored.weight > this.maxWeight) return;
    this.stored.set(key, stored);
    this.weight += stored.weight;
    for (const [oldest, { weight }] of this.stored) {
      if (this.weight <= this.maxWeight) break;
      this.stored.delete(oldest);
      this.weight -= weight;
    }
  }
}

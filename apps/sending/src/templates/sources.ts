import { Injectable } from '@nestjs/common';
import {
  SourcesRepository,
  type SnippetRef,
  type SnippetSource,
  type TemplateRef,
  type TemplateSource,
} from './sources.repository.js';

export interface LoadedSources {
  template(ref: TemplateRef): TemplateSource | undefined;
  snippet(ref: SnippetRef): SnippetSource | undefined;
}

const maxBytes = 32 * 1024 * 1024;

const templateKey = ({ projectId, templateId, version }: TemplateRef): string =>
  `${projectId} ${templateId} ${version}`;
const snippetKey = ({ projectId, id }: SnippetRef): string => `${projectId} ${id}`;

@Injectable()
export class Sources {
  private readonly stored = new Map<string, TemplateSource | SnippetSource>();
  private bytes = 0;

  constructor(private readonly sources: SourcesRepository) {}

  async load(templates: TemplateRef[], snippets: SnippetRef[]): Promise<LoadedSources> {
    const loaded = new Map<string, TemplateSource | SnippetSource>();
    const [missingTemplates, missingSnippets] = [
      this.take(templates, templateKey, loaded),
      this.take(snippets, snippetKey, loaded),
    ];
    const [readTemplates, readSnippets] = await Promise.all([
      missingTemplates.length > 0 ? this.sources.templates(missingTemplates) : [],
      missingSnippets.length > 0 ? this.sources.snippets(missingSnippets) : [],
    ]);
    for (const source of readTemplates) this.keep(loaded, templateKey(source), source);
    for (const source of readSnippets) this.keep(loaded, snippetKey(source), source);
    return {
      template: (ref) => loaded.get(templateKey(ref)) as TemplateSource | undefined,
      snippet: (ref) => loaded.get(snippetKey(ref)) as SnippetSource | undefined,
    };
  }

  private take<Ref>(
    refs: Ref[],
    keyOf: (ref: Ref) => string,
    loaded: Map<string, TemplateSource | SnippetSource>,
  ): Ref[] {
    const missing = new Map<string, Ref>();
    for (const ref of refs) {
      const key = keyOf(ref);
      const known = this.stored.get(key);
      if (known) {
        this.stored.delete(key);
        this.stored.set(key, known);
        loaded.set(key, known);
      } else {
        missing.set(key, ref);
      }
    }
    return [...missing.values()];
  }

  private keep(
    loaded: Map<string, TemplateSource | SnippetSource>,
    key: string,
    source: TemplateSource | SnippetSource,
  ): void {
    loaded.set(key, source);
    if (this.stored.has(key)) return;
    this.stored.set(key, source);
    this.bytes += sizeOf(source);
    for (const [oldest, forgotten] of this.stored) {
      if (this.bytes <= maxBytes) break;
      this.stored.delete(oldest);
      this.bytes -= sizeOf(forgotten);
    }
  }
}

const sizeOf = (source: TemplateSource | SnippetSource): number =>
  2 * ('html' in source ? source.html.length + source.subject.length : source.body.length);

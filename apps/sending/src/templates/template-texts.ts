import { Injectable } from '@nestjs/common';
import {
  TemplateTextsRepository,
  type SnippetRef,
  type SnippetText,
  type TemplateRef,
  type TemplateText,
} from './template-texts.repository.js';

export interface LoadedTexts {
  template(ref: TemplateRef): TemplateText | undefined;
  snippet(ref: SnippetRef): SnippetText | undefined;
}

const maxBytes = 32 * 1024 * 1024;

const templateKey = ({ projectId, templateId, version }: TemplateRef): string =>
  `${projectId} ${templateId} ${version}`;
const snippetKey = ({ projectId, id }: SnippetRef): string => `${projectId} ${id}`;

@Injectable()
export class TemplateTexts {
  private readonly stored = new Map<string, TemplateText | SnippetText>();
  private bytes = 0;

  constructor(private readonly templateTexts: TemplateTextsRepository) {}

  async load(templates: TemplateRef[], snippets: SnippetRef[]): Promise<LoadedTexts> {
    const loaded = new Map<string, TemplateText | SnippetText>();
    const [missingTemplates, missingSnippets] = [
      this.take(templates, templateKey, loaded),
      this.take(snippets, snippetKey, loaded),
    ];
    const [readTemplates, readSnippets] = await Promise.all([
      missingTemplates.length > 0 ? this.templateTexts.templates(missingTemplates) : [],
      missingSnippets.length > 0 ? this.templateTexts.snippets(missingSnippets) : [],
    ]);
    for (const source of readTemplates) this.keep(loaded, templateKey(source), source);
    for (const source of readSnippets) this.keep(loaded, snippetKey(source), source);
    return {
      template: (ref) => loaded.get(templateKey(ref)) as TemplateText | undefined,
      snippet: (ref) => loaded.get(snippetKey(ref)) as SnippetText | undefined,
    };
  }

  private take<Ref>(
    refs: Ref[],
    keyOf: (ref: Ref) => string,
    loaded: Map<string, TemplateText | SnippetText>,
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
    loaded: Map<string, TemplateText | SnippetText>,
    key: string,
    source: TemplateText | SnippetText,
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

const sizeOf = (source: TemplateText | SnippetText): number =>
  2 * ('html' in source ? source.html.length + source.subject.length : source.body.length);

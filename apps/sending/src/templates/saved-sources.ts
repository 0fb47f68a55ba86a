import { Injectable } from '@nestjs/common';
import { Rendering } from '../rendering/rendering.js';
import type { TemplateRow } from './template.entity.js';

/** Compiles and analyses a template when it is saved, so that sending need not. */
@Injectable()
export class SavedSources {
  constructor(private readonly rendering: Rendering) {}

  async prepare(row: TemplateRow, deadline: Date | null): Promise<string | null> {
    const owner = { projectId: row.projectId, deadline };
    const [subject, body, fromName] = await Promise.all([
      this.rendering.check(owner, 'subject', row.subject),
      this.rendering.check(owner, 'body', row.body),
      this.rendering.check(owner, 'fromName', row.fromName ?? ''),
    ]);
    const html = row.format === 'mjml' ? await this.rendering.compile(owner, row.body) : null;
    if (html !== null) await this.rendering.check(owner, 'body', html);
    const checked = [subject, body, fromName];
    row.includes = [...new Set(checked.flatMap(({ includes }) => includes))];
    row.liquid = checked.some(({ liquid }) => liquid);
    return html;
  }
}

import { Injectable } from '@nestjs/common';
import { Rendering } from '../rendering/rendering.js';
import type { TemplateRow } from './template.entity.js';

/** What is worked out when a template is saved, so that nothing of it is when it is sent. */
@Injectable()
export class SavedSources {
  constructor(private readonly rendering: Rendering) {}

  /** The HTML that MJML is compiled to, else null; the row learns what it includes. Refuses what does not parse. */
  async prepare(row: TemplateRow): Promise<string | null> {
    const [subject, body] = await Promise.all([
      this.rendering.check('subject', row.subject),
      this.rendering.check('body', row.body),
    ]);
    const html = row.format === 'mjml' ? await this.rendering.compile(row.body) : null;
    if (html !== null) await this.rendering.check('body', html);
    row.includes = [...new Set([...subject.includes, ...body.includes])];
    row.liquid = subject.liquid || body.liquid;
    return html;
  }
}

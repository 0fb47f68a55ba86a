import type { Finding, RenderedTemplate, EmailCategory } from '@posthorn/contracts';
import { textFromHtml } from '@posthorn/mail';
import { isMissing, variablesOf } from './analysis.js';
import { lint } from './lint.js';
import { render, type RenderInput } from './liquid/liquid.js';

export interface PreviewSource extends RenderInput {
  subject: string;
  html: string;
  fromName?: string;
  category: EmailCategory;
}

export interface LintSource {
  subject: string;
  html: string;
  snippets: Record<string, string>;
  category: EmailCategory;
}

const maxMissing = 1_000;

export function preview({ subject, html, fromName, category, ...given }: PreviewSource): RenderedTemplate {
  const unknownZones = new Set<string>();
  const rendered = render({ subject, html, text: null, fromName }, { ...given, unknownZones });
  const sources = [subject, html, fromName ?? ''];
  const uses = sources.flatMap((source) => variablesOf(source, given.snippets));
  const missing = new Set(uses.filter((use) => isMissing(use, given.variables)).map(({ name }) => name));
  return {
    subject: rendered.subject,
    html: rendered.html,
    text: textFromHtml(rendered.html),
    size: Buffer.byteLength(rendered.html),
    missing: [...missing].slice(0, maxMissing),
    findings: lint({ html: rendered.html, sources, snippets: given.snippets, category, unknownZones }),
  };
}

export const lintSource = ({ subject, html, snippets, category }: LintSource): Finding[] =>
  lint({ html, sources: [subject, html], snippets, category });

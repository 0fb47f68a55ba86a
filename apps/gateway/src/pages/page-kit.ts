import { html, type Html } from './html.js';
import type { SentOn, Shown } from './page.js';

export interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  autocomplete: string;
  value?: string;
  hint?: string;
  error?: string | undefined;
  optional?: boolean;
  numeric?: boolean;
  maxLength?: number;
}

export function field({
  name,
  label,
  type = 'text',
  autocomplete,
  value = '',
  hint,
  error,
  optional,
  numeric,
  maxLength = 254,
}: Field): Html {
  const described = [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${type === 'password' ? '' : value}"
      autocomplete="${autocomplete}"
      maxlength="${maxLength}"
      ${optional ? null : html` required`}${numeric ? html` inputmode="numeric"` : null}
      ${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true"` : null}
    />
    ${error ? html`<p class="error" id="${name}-error">${error}</p>` : null}
  </div>`;
}

export const choice = (
  name: string,
  label: string,
  options: readonly { value: string; text: string }[],
  chosen = '',
): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" required>
      ${options.length === 1 ? null : html`<option value="">Choose one</option>`}
      ${options.map(({ value, text }) => html`<option value="${value}" ${value === chosen ? html`selected` : null}>${text}</option>`)}
    </select>
  </div>`;

export const checkbox = (name: string, label: string): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="yes" checked /> ${label}</label>`;

export const form = (
  content: Html | readonly Html[],
  submit: string | Html,
  action?: string,
  kind: 'plain' | 'quiet' = 'plain',
): Html =>
  html`<form method="post" ${action ? html` action="${action}"` : null} class="${kind}">
    ${content}<button type="submit">${submit}</button>
  </form>`;

export const hidden = (name: string, value: string | null): Html =>
  value === null ? html`` : html`<input type="hidden" name="${name}" value="${value}" />`;

/** Announced by screen readers at once. */
export const notice = (kind: 'wrong' | 'done', text: string): Html =>
  kind === 'wrong'
    ? html`<p class="notice wrong" role="alert">${text}</p>`
    : html`<p class="notice done" role="status">${text}</p>`;

export const link = (path: string, text: string, next: string | null = null): Html =>
  html`<a href="${next ? `${path}?${new URLSearchParams({ next }).toString()}` : path}">${text}</a>`;

export const shown = (title: string, body: Html, more: Omit<Shown, 'title' | 'body'> = {}): Shown => ({
  title,
  body,
  ...more,
});

export const sentOn = (
  path: string,
  query: Record<string, string | null> = {},
  cookies: readonly string[] = [],
): SentOn => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
  return { location: given.length > 0 ? `${path}?${new URLSearchParams(given).toString()}` : path, cookies };
};

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html } from './html.js';
import type { Shown } from './page.js';

export const stylesheet = readFileSync(new URL('pages.css', import.meta.url));
export const stylesheetPath = `/pages/${hash('sha256', stylesheet).slice(0, 12)}.css`;

// With a stricter referrer policy, browsers send the origin "null" (Fetch, "append a request Origin header").
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'content-security-policy': policyOf("'self'"),
};

/** `form-action` also covers every redirect after the form (CSP Level 3). */
export function policyOf(formAction: string): string {
  return `default-src 'none'; style-src 'self'; img-src data:; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`;
}

export const renderPage = ({ title, body, leadsTo, language = 'en', brand = 'Posthorn' }: Shown): string =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${leadsTo ? html`<meta http-equiv="refresh" content="0; url=${leadsTo}" />` : null}
        <title>${[title, ...(brand ? [brand] : [])].join(' · ')}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${stylesheetPath}" />
      </head>
      <body>
        ${brand ? html`<header class="bar"><p class="brand">${brand}</p></header>` : null}
        <main class="sheet">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.text;

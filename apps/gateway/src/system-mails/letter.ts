import { html, type Html } from '../pages/html.js';
import type { SystemMail } from './system-mails.js';

export const letter = (paragraphs: readonly string[]): Pick<SystemMail, 'text' | 'body'> => ({
  text: `${paragraphs.join('\n\n')}\n`,
  body: page(paragraphs).text,
});

const page = (paragraphs: readonly string[]): Html =>
  html`<!doctype html>
    <html lang="en">
      <body style="font: 16px/1.5 system-ui, sans-serif; color: #1c1e21">
        ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
      </body>
    </html>`;

import { expect, it } from '@jest/globals';
import { pageOf } from './archived-mail.js';

const subject = 'News & <offers>';
const title = '<title>News &#38; &#60;offers&#62;</title>';
const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

it.each([
  [
    '<p>Hi</p>',
    `<!doctype html>\n<html lang="de"><head><meta charset="utf-8">${title}${viewport}</head><body><p>Hi</p></body></html>`,
  ],
  [
    '<html><body>Hi</body></html>',
    `<!doctype html>\n<html><head><meta charset="utf-8">${title}${viewport}</head><body>Hi</body></html>`,
  ],
  [
    '<!DOCTYPE html><html><head><style>p{}</style></head><body>Hi</body></html>',
    `<!DOCTYPE html><html><head>${title}${viewport}<style>p{}</style></head><body>Hi</body></html>`,
  ],
  [
    '<!doctype html><html><head><title>Own</title><meta name="viewport" content="x"></head><body>Hi</body></html>',
    '<!doctype html><html><head><title>Own</title><meta name="viewport" content="x"></head><body>Hi</body></html>',
  ],
  [
    '<!doctype html><html><head><title></title></head><body>Hi</body></html>',
    `<!doctype html><html><head>${viewport}<title>News &#38; &#60;offers&#62;</title></head><body>Hi</body></html>`,
  ],
  [
    '<!-- <head> --><p>Hi</p>',
    `<!doctype html>\n<html lang="de"><head><meta charset="utf-8">${title}${viewport}</head><body><!-- <head> --><p>Hi</p></body></html>`,
  ],
])('%j becomes a page with doctype, title and viewport', (html, page) => {
  expect(pageOf({ subject, html, language: 'de' })).toBe(page);
});

import { expect, it } from '@jest/globals';
import { isLanguage } from './language.js';

it.each(['en', 'de', 'pt-BR', 'zh-Hant', 'es-419', 'fil'])('%s is a language', (tag) => {
  expect(isLanguage(tag)).toBe(true);
});
it.each(['xx', 'zz', 'qq', 'de-QQ', 'en-ABCDEFGH', 'und', 'e', ''])('%j is none', (tag) => {
  expect(isLanguage(tag)).toBe(false);
});

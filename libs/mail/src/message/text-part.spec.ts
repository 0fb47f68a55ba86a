import { describe, expect, it } from '@jest/globals';
import { textFromHtml } from './text-part.js';

const receipt =
  '<tr><th>Item</th><th>Price</th></tr><tr><td>Apple</td><td>1.00</td></tr><tr><td>Bread</td><td>2.50</td></tr>';

describe('the text of a table', () => {
  it.each([
    ['of data', `<table>${receipt}</table>`, 'Item Price\nApple 1.00\nBread 2.50'],
    ['of data without a head', '<table><tr><td>Apple</td><td>1.00</td></tr></table>', 'Apple 1.00'],
    [
      'of data with blocks in its cells',
      '<p>Hi</p><table><caption>All</caption><tr><th>a</th><th><p>b</p></th></tr><tr><td><p>c</p><p>d</p></td><td>e</td></tr></table>',
      'Hi\n\nAll\n\na b\nc d e',
    ],
    [
      'that arranges a page',
      '<table role="presentation"><tr><td><table><tr><td><h1>Shop</h1></td></tr></table></td></tr><tr><td><p>Left</p></td><td><p>Right</p></td></tr></table>',
      'Shop\n\nLeft\n\nRight',
    ],
    [
      'that arranges a page in heads',
      '<table><tr><th>x</th></tr><tr><th><table><tr><td><p>One</p><p>Two</p></td></tr></table></th><th></th></tr></table>',
      'x\n\nOne\n\nTwo',
    ],
  ])('%s has cells apart and one row a line', (_, html, expected) => {
    expect(textFromHtml(html)).toBe(expected);
  });
});

import { describe, expect, it } from '@jest/globals';
import { headerFault } from './outbound-headers.js';

describe('a header', () => {
  it.each([
    ['Authorization', 'Bearer abc', null],
    ['X-Name', 'déjà', null],
    ['X Name', 'a', 'name'],
    ['', 'a', 'name'],
    ['X-Name\r\nX-Other', 'a', 'name'],
    ['X-Name', 'a\r\nX-Other: b', 'value'],
    ['X-Name', 'a\u0000', 'value'],
    ['X-Name', '日本', 'value'],
    ['Host', 'example.org', 'reserved'],
    ['content-LENGTH', '3', 'reserved'],
    ['Transfer-Encoding', 'chunked', 'reserved'],
    ['Webhook-Id', 'x', 'reserved'],
  ])('%j: %j is %s', (name, value, fault) => {
    expect(headerFault(name, value)).toBe(fault);
  });
});

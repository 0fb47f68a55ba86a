import { describe, expect, it } from '@jest/globals';
import { machineReasonOf } from './machine-traffic.js';

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const outlook =
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Microsoft Outlook 16.0.5110; ms-office)';
const pictureProxy =
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';

describe('machine traffic', () => {
  it.each([phone, browser, outlook])('does not include a person with %s', (userAgent) => {
    for (const kind of ['OPEN', 'CLICK'] as const) expect(machineReasonOf({ kind, userAgent })).toBeNull();
  });

  it.each([
    ['BOT', 'curl/8.5.0'],
    ['BOT', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    ['BOT', 'BarracudaCentral'],
    ['BOT', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
    ['BOT', ''],
    ['BOT', undefined],
    ['PREFETCH', 'Mozilla/5.0'],
  ])('is %s: %s', (reason, userAgent) => {
    for (const kind of ['OPEN', 'CLICK'] as const) expect(machineReasonOf({ kind, userAgent })).toBe(reason);
  });

  it('is recognized by its method first', () => {
    expect(machineReasonOf({ kind: 'CLICK', userAgent: browser, head: true })).toBe('HEAD');
  });

  it('does not include an image proxy, unless it follows links', () => {
    expect(machineReasonOf({ kind: 'OPEN', userAgent: pictureProxy })).toBeNull();
    expect(machineReasonOf({ kind: 'CLICK', userAgent: pictureProxy })).toBe('BOT');
  });
});

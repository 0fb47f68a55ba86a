import { describe, expect, it } from '@jest/globals';
import { isDisposable, isFree, isRole, suggestedDomain } from './address-traits.js';

describe('a domain that is probably a slip', () => {
  it.each([
    ['gmial.com', 'gmail.com'],
    ['gmai.com', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['gnail.com', 'gmail.com'],
    ['hotmial.com', 'hotmail.com'],
    ['hotmaill.cm', 'hotmail.com'],
    ['outlok.com', 'outlook.com'],
    ['yaho.com', 'yahoo.com'],
    ['yahoo.con', 'yahoo.com'],
    ['icloud.co', 'icloud.com'],
    ['t-onlin.de', 't-online.de'],
  ])('%s suggests %s', (domain, meant) => expect(suggestedDomain(domain)).toBe(meant));

  it.each([
    'gmail.com',
    'mail.com',
    'ymail.com',
    'gmx.at',
    'hotmail.be',
    'yahoo.ca',
    'shop.example',
    'web.dev',
  ])('%s suggests nothing', (domain) => expect(suggestedDomain(domain)).toBeNull());
});

it('an address of a function is told from one of a person, also with a tag', () => {
  expect(['info', 'no-reply', 'support+shop', 'ada', 'information', 'info.ada'].map(isRole)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('throw-away domains are known, with what is below them; forwarders of people and free providers are none', () => {
  const domains = ['mailinator.com', 'x.mailinator.com', 'yopmail.com', 'duck.com', 'gmail.com', 'com'];
  expect(domains.map(isDisposable)).toEqual([true, true, true, false, false, false]);
  expect(['gmail.com', 'web.de', 'shop.example'].map(isFree)).toEqual([true, true, false]);
});

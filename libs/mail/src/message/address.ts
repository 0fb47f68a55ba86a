import { domainToASCII } from 'node:url';
import { encodeWords, maxHeaderLine } from './encoded-word.js';
import { MailSyntaxError, refuseLineBreaks } from './mail-syntax-error.js';

export interface MailAddress {
  email: string;
  name?: string;
}

/** The domain in A-labels (RFC 5891); `utf8` where the local part needs SMTPUTF8 (RFC 6531). */
export interface WireAddress {
  address: string;
  utf8: boolean;
}

const plainAddress =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const internationalLocal = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u;
const quotedLocal = /^"(?:[^"\\<>\p{Cc}]|\\[\x20-;=?-\x7e])*"$/u;
const addressLiteral = /^\[[A-Za-z0-9:.]+\]$/;
const asciiOnly = /^[\x20-\x7e]*$/;
const atomPhrase = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const maxAddressOctets = 254;
const maxPlainName = 60;

function wireAddress(email: string, field = 'address'): WireAddress {
  if (email.length > maxAddressOctets)
    throw new MailSyntaxError(field, `longer than ${maxAddressOctets} octets`);
  if (plainAddress.test(email) && !email.includes('..')) return { address: email, utf8: false };
  return internationalAddress(email, field);
}

export function formatAddressList(
  field: string,
  list: readonly MailAddress[],
): { value: string; utf8: boolean } {
  let utf8 = false;
  let line = field.length + 2;
  let value = '';
  for (const each of list) {
    const wire = wireAddress(each.email, field);
    utf8 ||= wire.utf8;
    const shown = formatMailbox(field, each.name, wire.address, value === '' ? line : 1);
    const firstLine = shown.indexOf('\r\n') < 0 ? shown.length : shown.indexOf('\r\n');
    if (value === '') value = shown;
    else if (line + 2 + firstLine > maxHeaderLine || firstLine < shown.length) value += `,\r\n ${shown}`;
    else value += `, ${shown}`;
    line =
      value.length - (value.lastIndexOf('\r\n') < 0 ? -(field.length + 2) : value.lastIndexOf('\r\n') + 2);
  }
  return { value, utf8 };
}

function formatMailbox(field: string, name: string | undefined, address: string, used: number): string {
  // Some clients take a bare quoted local part for a name.
  if (name === undefined || name === '') return address.startsWith('"') ? `<${address}>` : address;
  refuseLineBreaks(field, name);
  const phrase = formatPhrase(name, used);
  const lastLine = phrase.length - (phrase.lastIndexOf('\n') + 1) + (phrase.includes('\n') ? 0 : used);
  return `${phrase}${lastLine + address.length + 3 > maxHeaderLine ? '\r\n ' : ' '}<${address}>`;
}

function formatPhrase(name: string, used: number): string {
  const short = name.length <= maxPlainName && !name.includes('=?');
  if (short && atomPhrase.test(name)) return name;
  // Many clients collapse outer or doubled blanks within quotes; encoded words keep them.
  if (short && asciiOnly.test(name) && name.trim() === name && !name.includes('  '))
    return `"${name.replace(/["\\]/g, '\\$&')}"`;
  return encodeWords(name, used);
}

function internationalAddress(email: string, field: string): WireAddress {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  if (at < 1 || at === email.length - 1) throw new MailSyntaxError(field, 'is not an address');
  if (!isLocalPart(local)) throw new MailSyntaxError(field, 'has a malformed local part');
  const address = `${local}@${domainToWire(email.slice(at + 1), field)}`;
  if (Buffer.byteLength(address) > maxAddressOctets)
    throw new MailSyntaxError(field, `longer than ${maxAddressOctets} octets`);
  return { address, utf8: !asciiOnly.test(local) };
}

function isLocalPart(local: string): boolean {
  if (quotedLocal.test(local)) return true;
  return (
    internationalLocal.test(local) && !local.startsWith('.') && !local.endsWith('.') && !local.includes('..')
  );
}

function domainToWire(domain: string, field: string): string {
  if (addressLiteral.test(domain)) return domain;
  const ascii = /[\s%/?#@:\\[\]<>]/.test(domain) ? '' : domainToASCII(domain);
  if (!/^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?$/i.test(ascii) || ascii.includes('..'))
    throw new MailSyntaxError(field, 'has a malformed domain');
  return ascii;
}

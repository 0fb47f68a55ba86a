import { isIP } from 'node:net';
import { Unreadable } from './unpack.js';
import { xmlElements, type XmlElement } from './xml-elements.js';

const dmarcPolicies = ['none', 'quarantine', 'reject'] as const;
export type DmarcPolicy = (typeof dmarcPolicies)[number];

/** What one server sent in the name of a domain (RFC 7489 appendix C, `record`). */
export interface DmarcRow {
  source: string;
  messages: number;
  /** What the receiver did with them. */
  disposition: DmarcPolicy;
  dkimAligned: boolean;
  spfAligned: boolean;
  headerFrom: string;
  /** The domain whose signature was checked, and that of the return path. */
  dkimDomain: string;
  spfDomain: string;
}

export interface DmarcReport {
  reporter: string;
  reportId: string;
  domain: string;
  policy: DmarcPolicy;
  from: Date;
  to: Date;
  rows: DmarcRow[];
}

const maxRows = 20_000;
/** A report covers a day; some cover a week. */
const maxDays = 32;

/** @throws Unreadable where it is no aggregate report, or one with wrong values. */
export function readDmarcReport(xml: string): DmarcReport {
  // Nothing but bombs has them.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new Unreadable('the XML defines entities');
  const feedback = elementIn(xmlElements(xml), 'feedback');
  const metadata = elementIn(feedback, 'report_metadata');
  const published = elementIn(feedback, 'policy_published');
  const range = elementIn(metadata, 'date_range');
  const [from, to] = [instantIn(range, 'begin'), instantIn(range, 'end')];
  if (to < from || to.getTime() - from.getTime() > maxDays * 86_400_000)
    throw new Unreadable('its range is not one of days');
  const records = feedback.children.get('record') ?? [];
  if (records.length > maxRows) throw new Unreadable(`it has more than ${maxRows} records`);
  return {
    reporter: textIn(metadata, 'org_name', 255),
    reportId: textIn(metadata, 'report_id', 255),
    domain: domainIn(published, 'domain'),
    policy: policyIn(published, 'p'),
    from,
    to,
    rows: records.map(rowOf),
  };
}

function rowOf(record: XmlElement): DmarcRow {
  const row = elementIn(record, 'row');
  const evaluated = elementIn(row, 'policy_evaluated');
  const results = record.children.get('auth_results')?.[0];
  const source = textIn(row, 'source_ip', 45);
  if (isIP(source) === 0) throw new Unreadable('source_ip is no address');
  return {
    source,
    messages: countIn(row, 'count'),
    disposition: policyIn(evaluated, 'disposition'),
    dkimAligned: hasPassed(evaluated, 'dkim'),
    spfAligned: hasPassed(evaluated, 'spf'),
    headerFrom: domainIn(elementIn(record, 'identifiers'), 'header_from'),
    dkimDomain: domainOfResults(results, 'dkim'),
    spfDomain: domainOfResults(results, 'spf'),
  };
}

/** That of the result that passed, else of the first. */
function domainOfResults(of: XmlElement | undefined, name: string): string {
  const results = of?.children.get(name) ?? [];
  const result = results.find((each) => hasPassed(each, 'result')) ?? results[0];
  const domain = result?.children.get('domain')?.[0]?.text.trim() ?? '';
  return isDomain(domain) ? domain.toLowerCase() : '';
}

const hasPassed = (of: XmlElement, name: string): boolean =>
  of.children.get(name)?.[0]?.text.trim().toLowerCase() === 'pass';

function elementIn(of: XmlElement, name: string): XmlElement {
  const element = of.children.get(name)?.[0];
  if (!element) throw new Unreadable(`${name} is missing`);
  return element;
}

function textIn(of: XmlElement, name: string, max: number): string {
  const value = elementIn(of, name).text.trim();
  if (value !== '' && value.length <= max && !/[\0-\x1f\x7f]/.test(value)) return value;
  throw new Unreadable(`${name} is missing or too long`);
}

function countIn(of: XmlElement, name: string): number {
  const text = textIn(of, name, 12);
  if (!/^\d{1,9}$/.test(text)) throw new Unreadable(`${name} is no count`);
  return Number(text);
}

function instantIn(of: XmlElement, name: string): Date {
  const text = textIn(of, name, 12);
  if (!/^\d{9,10}$/.test(text)) throw new Unreadable(`${name} is no time`);
  return new Date(Number(text) * 1_000);
}

const isDomain = (text: string): boolean =>
  text.length <= 253 &&
  /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)+\.?$/i.test(text);

function domainIn(of: XmlElement, name: string): string {
  const text = textIn(of, name, 254);
  if (!isDomain(text)) throw new Unreadable(`${name} is no domain`);
  return text.toLowerCase().replace(/\.$/, '');
}

function policyIn(of: XmlElement, name: string): DmarcPolicy {
  const text = textIn(of, name, 20).toLowerCase();
  const policy = dmarcPolicies.find((each) => each === text);
  if (policy === undefined) throw new Unreadable(`${name} is no policy`);
  return policy;
}

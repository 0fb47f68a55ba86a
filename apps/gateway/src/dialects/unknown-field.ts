import { nearestName } from '@posthorn/contracts';

/** What other services call the same, in the plain form of a name; the first that the shape has is meant. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  html: ['body'],
  htmlbody: ['body'],
  htmlcontent: ['body'],
  content: ['body', 'payload'],
  message: ['body'],
  textbody: ['text'],
  textcontent: ['text'],
  plain: ['text'],
  sender: ['from'],
  fromemail: ['from'],
  recipient: ['to'],
  recipients: ['to'],
  email: ['to'],
  address: ['email'],
  emailaddress: ['email'],
  templateid: ['template'],
  templatemodel: ['data'],
  variables: ['data'],
  substitutions: ['data'],
  dynamictemplatedata: ['data'],
  properties: ['payload', 'data', 'custom_fields', 'customFields'],
  attributes: ['custom_fields', 'customFields'],
  metadata: ['custom_fields', 'customFields'],
  sendat: ['scheduled_at', 'scheduledAt', 'scheduled_for', 'scheduledFor'],
  events: ['event_types', 'eventTypes'],
  title: ['subject', 'name'],
  page: ['after', 'cursor'],
  offset: ['after', 'cursor'],
  perpage: ['limit'],
  pagesize: ['limit'],
  query: ['search'],
  q: ['search'],
};

/** What an unknown name is refused with; clients mostly mistyped one that is known, or know it from elsewhere. */
export function unknownField(what: 'field' | 'parameter', name: string, known: Iterable<string>): string {
  const names = [...known];
  const meant = meantBy(name, names) ?? nearestName(name, names);
  return `is not a known ${what}${meant === null ? '' : `; did you mean \`${meant}\`?`}`;
}

function meantBy(name: string, known: readonly string[]): string | null {
  const plain = name.toLowerCase().replaceAll(/[_\-\s]/g, '');
  const meant = Object.hasOwn(otherNames, plain) ? otherNames[plain]! : [];
  return meant.find((each) => known.includes(each)) ?? null;
}

import { destinations, type Destination } from '@posthorn/contracts';

/** All mail that is handed over, whatever its destination. */
export const anyDestination = '*';

/** Providers of many mailboxes: their own domains, and the hosts that take mail for domains of others. */
const mailboxProviders: Readonly<Record<string, { domains: readonly string[]; hosts: RegExp }>> = {
  gmail: { domains: ['gmail.com', 'googlemail.com'], hosts: /\.google(mail)?\.com$/ },
  outlook: {
    domains: [
      'outlook.com',
      'hotmail.com',
      'hotmail.co.uk',
      'hotmail.fr',
      'hotmail.de',
      'live.com',
      'msn.com',
    ],
    hosts: /\.(outlook|hotmail)\.com$/,
  },
  yahoo: {
    domains: ['yahoo.com', 'yahoo.co.uk', 'yahoo.fr', 'yahoo.de', 'ymail.com', 'rocketmail.com', 'aol.com'],
    hosts: /\.yahoodns\.net$/,
  },
  icloud: { domains: ['icloud.com', 'me.com', 'mac.com'], hosts: /\.icloud\.com$/ },
  gmx: {
    domains: ['gmx.com', 'gmx.net', 'gmx.de', 'gmx.at', 'web.de', 'mail.com'],
    hosts: /\.(gmx\.net|web\.de)$/,
  },
  proton: { domains: ['proton.me', 'protonmail.com', 'pm.me'], hosts: /\.protonmail\.ch$/ },
};
const byDomain = new Map(
  Object.entries(mailboxProviders).flatMap(([name, { domains }]) => domains.map((domain) => [domain, name])),
);

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** The mailbox provider whose own domain it is; else the domain itself, which has a dot and so is no provider's name. */
export const destinationOf = (domain: string): string => byDomain.get(domain) ?? domain;

export function mailboxProviderOf(hosts: readonly string[]): string | null {
  const names = hosts.map((host) => `.${host.toLowerCase().replace(/\.$/, '')}`);
  const found = Object.entries(mailboxProviders).find(
    ([, { hosts: pattern }]) => names.length > 0 && names.every((name) => pattern.test(name)),
  );
  return found?.[0] ?? null;
}

/** The name of a mailbox provider, or `other`: few values, whatever the domains of recipients. */
export const labelOf = (destination: string): string =>
  destination === anyDestination || destination in mailboxProviders ? destination : 'other';

const counted: readonly string[] = destinations.filter((each) => each !== 'other');

/** As it is stored with an e-mail and counted; null for all but the largest. */
export const countedDestinationOf = (email: string): Destination | null => {
  const destination = destinationOf(domainOf(email));
  return counted.includes(destination) ? (destination as Destination) : null;
};

/** The one that is given, or what pacing has learned of the MX of the address. */
export const storedDestinationSql = (given: string, address: string): string =>
  `coalesce(${given}, (SELECT learned.destination FROM destination_domains learned
     WHERE learned.domain = substring(${address} FROM '[^@]*$') AND learned.destination IN (${counted.map((each) => `'${each}'`).join(', ')})))`;

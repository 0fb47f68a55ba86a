/** All mail that is handed over, whatever its destination. */
export const anyDestination = '*';

const domains: Readonly<Record<string, readonly string[]>> = {
  gmail: ['gmail.com', 'googlemail.com'],
  outlook: ['outlook.com', 'hotmail.com', 'hotmail.co.uk', 'hotmail.fr', 'hotmail.de', 'live.com', 'msn.com'],
  yahoo: ['yahoo.com', 'yahoo.co.uk', 'yahoo.fr', 'yahoo.de', 'ymail.com', 'rocketmail.com', 'aol.com'],
  icloud: ['icloud.com', 'me.com', 'mac.com'],
  gmx: ['gmx.com', 'gmx.net', 'gmx.de', 'gmx.at', 'web.de', 'mail.com'],
  proton: ['proton.me', 'protonmail.com', 'pm.me'],
};
const byDomain = new Map(
  Object.entries(domains).flatMap(([name, all]) => all.map((domain) => [domain, name])),
);

const mailServers: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)google(mail)?\.com$/, 'gmail'],
  [/(^|\.)(outlook|hotmail)\.com$/, 'outlook'],
  [/(^|\.)yahoodns\.net$/, 'yahoo'],
  [/(^|\.)icloud\.com$/, 'icloud'],
  [/(^|\.)(gmx|web)\.(net|de)$/, 'gmx'],
  [/(^|\.)protonmail\.ch$/, 'proton'],
];

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Where mail to the domain ends up, as far as its name says; else the domain itself. */
export const destinationOf = (domain: string): string => byDomain.get(domain) ?? domain;

/** By its MX hosts: hosts of one operator mostly share the domain above them. Null without any. */
export function destinationOfMailServers(hosts: readonly string[]): string | null {
  const [first] = hosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
  if (!first) return null;
  return mailServers.find(([pattern]) => pattern.test(first))?.[1] ?? first.split('.').slice(-3).join('.');
}

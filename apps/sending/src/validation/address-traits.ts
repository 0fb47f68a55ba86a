import mailChecker from 'mailchecker';

/** Where anybody can open an address, of the large providers. */
const freeDomains: ReadonlySet<string> = new Set([
  ...['gmail.com', 'googlemail.com', 'yahoo.com', 'yahoo.co.uk', 'yahoo.co.in', 'yahoo.co.jp', 'yahoo.ca'],
  ...['yahoo.com.au', 'yahoo.com.br', 'yahoo.de', 'yahoo.es', 'yahoo.fr', 'yahoo.it', 'ymail.com'],
  ...['rocketmail.com', 'aol.com', 'aol.de', 'aim.com', 'hotmail.com', 'hotmail.co.uk', 'hotmail.de'],
  ...['hotmail.es', 'hotmail.fr', 'hotmail.it', 'outlook.com', 'outlook.de', 'outlook.es', 'outlook.fr'],
  ...['outlook.it', 'live.com', 'live.co.uk', 'live.de', 'live.fr', 'live.it', 'live.nl', 'msn.com'],
  ...['icloud.com', 'me.com', 'mac.com', 'proton.me', 'protonmail.com', 'pm.me', 'tutanota.com', 'tuta.io'],
  ...['gmx.at', 'gmx.ch', 'gmx.com', 'gmx.de', 'gmx.net', 'web.de', 'freenet.de', 't-online.de', 'mail.de'],
  ...['mail.com', 'email.com', 'zoho.com', 'zohomail.com', 'fastmail.com', 'hushmail.com', 'mail.ru'],
  ...[
    'inbox.ru',
    'list.ru',
    'bk.ru',
    'yandex.com',
    'yandex.ru',
    'rambler.ru',
    'qq.com',
    '163.com',
    '126.com',
  ],
  ...[
    'sina.com',
    'foxmail.com',
    'naver.com',
    'daum.net',
    'hanmail.net',
    'orange.fr',
    'wanadoo.fr',
    'free.fr',
  ],
  ...['laposte.net', 'sfr.fr', 'libero.it', 'virgilio.it', 'tiscali.it', 'alice.it', 'terra.com.br'],
  ...['uol.com.br', 'bol.com.br', 'ig.com.br', 'wp.pl', 'o2.pl', 'onet.pl', 'interia.pl', 'seznam.cz'],
  ...['centrum.cz', 'azet.sk', 'abv.bg', 'ukr.net', 'i.ua', 'rediffmail.com', 'bluewin.ch', 'ziggo.nl'],
]);

/** Addressed so often that a domain close to one of them is rather a slip. None so short that close ones are names of others. */
const often: readonly string[] = [
  ...['gmail.com', 'googlemail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'icloud.com'],
  ...['protonmail.com', 'proton.me', 't-online.de', 'freenet.de', 'orange.fr', 'wanadoo.fr', 'laposte.net'],
  ...['libero.it', 'comcast.net', 'verizon.net', 'yahoo.co.uk', 'hotmail.co.uk', 'hotmail.fr', 'yandex.ru'],
];
const known: ReadonlySet<string> = new Set([...freeDomains, ...often]);

/** RFC 2142, and what is common beside it. */
const roles: ReadonlySet<string> = new Set([
  ...['abuse', 'accounting', 'accounts', 'admin', 'administrator', 'all', 'billing', 'booking', 'bookings'],
  ...['careers', 'compliance', 'contact', 'customerservice', 'dev', 'devnull', 'donotreply', 'enquiries'],
  ...['everyone', 'feedback', 'finance', 'ftp', 'hello', 'help', 'helpdesk', 'hostmaster', 'hr', 'info'],
  ...['inquiries', 'invoice', 'invoices', 'it', 'jobs', 'kontakt', 'legal', 'list', 'mail', 'mailer-daemon'],
  ...['marketing', 'media', 'news', 'newsletter', 'no-reply', 'noc', 'noreply', 'office', 'operations'],
  ...[
    'orders',
    'personal',
    'postmaster',
    'press',
    'privacy',
    'recruiting',
    'reservations',
    'returns',
    'root',
  ],
  ...['sales', 'security', 'service', 'shop', 'spam', 'staff', 'subscribe', 'support', 'sysadmin', 'team'],
  ...['tech', 'uucp', 'unsubscribe', 'usenet', 'webmaster', 'welcome', 'www'],
]);

const disposableDomains: ReadonlySet<string> = mailChecker.blacklist();

/** In the list, and no throw-away addresses: they pass mail on to the mailbox of a person, for as long as that person likes. */
const forwarders: ReadonlySet<string> = new Set([
  ...['duck.com', 'mozmail.com', 'relay.firefox.com', '33mail.com', 'erine.email', 'silomails.com'],
  ...[
    'simplelogin.com',
    'simplelogin.co',
    'simplelogin.fr',
    'slmail.me',
    'aleeas.com',
    'slmails.com',
    'dralias.com',
  ],
  ...['8alias.com', '8shield.net', 'anonaddy.com', 'anonaddy.me', 'addy.io', 'addymail.com', 'mailer.me'],
  ...['passmail.net', 'passmail.com', 'passinbox.com', 'passfwd.com', 'privaterelay.appleid.com'],
]);

export const isRole = (local: string): boolean => roles.has(local.replace(/\+.*$/, ''));
export const isFree = (domain: string): boolean => freeDomains.has(domain);

/** Also below such a domain: many give each visitor a name of their own. */
export function isDisposable(domain: string): boolean {
  for (let at = domain; at.includes('.'); at = at.slice(at.indexOf('.') + 1)) {
    if (forwarders.has(at)) return false;
    if (disposableDomains.has(at)) return true;
  }
  return false;
}

/** Two slips only in names that are long enough for them not to be another name. */
const slipsFor = ({ length }: string): number => (length >= 10 ? 2 : 1);

/** The domain that was probably meant; null for one that is known itself. */
export function suggestedDomain(domain: string): string | null {
  if (known.has(domain) || domain.length > 20) return null;
  let best: { name: string; distance: number } | null = null;
  for (const name of often) {
    const most = slipsFor(name);
    if (Math.abs(name.length - domain.length) > most || isOfAnotherCountry(domain, name)) continue;
    const distance = distanceBetween(domain, name);
    if (distance <= most && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** The same provider elsewhere, such as hotmail.be. */
function isOfAnotherCountry(domain: string, name: string): boolean {
  const [label, ...ending] = domain.split('.');
  const [ofName, ...endingOfName] = name.split('.');
  return (
    label === ofName &&
    ending.join('.') !== 'co' &&
    ending.at(-1)!.length === 2 &&
    ending.join() !== endingOfName.join()
  );
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}

const schemes = ['nats:', 'tls:'];
const usualPort = '4222';
const shape =
  'must be addresses such as nats://127.0.0.1:4222 or tls://nats.example.com, separated by commas';

export interface NatsServers {
  /** `host:port` of each. */
  hosts: string[];
  isEncrypted: boolean;
  user: string;
  password: string;
}

/** What is wrong with the text of NATS_URL, without what it says: it may hold a password. */
export function natsUrlProblem(text: string): string | undefined {
  const urls = urlsIn(text);
  if (!urls.every(isAddress)) return shape;
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) return 'mixes nats:// and tls://';
  const users = urls.filter(({ username }) => username !== '').map(credentials);
  return new Set(users).size > 1 ? 'names more than one user' : undefined;
}

/** The user may stand in one of the addresses. */
export function readNatsUrl(text: string): NatsServers {
  const problem = natsUrlProblem(text);
  if (problem) throw new Error(`the address of NATS ${problem}`);
  const urls = urlsIn(text);
  const { username = '', password = '' } = urls.find((url) => url.username !== '') ?? {};
  return {
    hosts: [...new Set(urls.map(({ hostname, port }) => `${hostname}:${port || usualPort}`))],
    isEncrypted: urls[0]!.protocol === 'tls:',
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/** An address that cannot be read becomes one that no rule allows. */
const urlsIn = (text: string): URL[] =>
  text.split(',').map((part) => URL.parse(part.trim()) ?? new URL('unreadable:'));

const isAddress = ({ protocol, hostname, pathname, search, hash, username, password }: URL): boolean =>
  schemes.includes(protocol) &&
  hostname !== '' &&
  ['', '/'].includes(pathname) &&
  search + hash === '' &&
  isDecodable(username) &&
  isDecodable(password);

const credentials = ({ username, password }: URL): string => `${username}:${password}`;

const isDecodable = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text);

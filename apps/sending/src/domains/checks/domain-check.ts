import type { RecordStatus } from '@posthorn/contracts';
import type { SigningAlgorithm } from '@posthorn/mail';
import type { Answer } from './dns-lookup.js';

export interface PolicyFinding {
  status: RecordStatus;
  strict: boolean;
}

/** RFC 6376 §3.6.1: with two keys under one name a verifier may take the wrong one. */
export function judgeKey(
  answer: Answer,
  { algorithm, publicKey }: { algorithm: SigningAlgorithm; publicKey: string },
): RecordStatus {
  if (answer === null) return 'PENDING';
  const keys = answer.map(tagsOf).filter((tags) => tags.has('p'));
  const [tags] = keys;
  if (keys.length !== 1 || !tags) return 'FAILED';
  const hashes = tags
    .get('h')
    ?.toLowerCase()
    .split(':')
    .map((name) => name.trim());
  const fits =
    tags.get('p')!.replace(/\s+/g, '') === publicKey &&
    (tags.get('k') ?? 'rsa').toLowerCase() === algorithm &&
    (tags.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (hashes?.includes('sha256') ?? true);
  return fits ? 'VERIFIED' : 'FAILED';
}

/** RFC 7489 §6.6.3: several policies count as none; without a policy of its own the domain has that of its organisation. */
export function judgePolicy(own: Answer, organisations: Answer): PolicyFinding {
  const found = own === null ? null : policiesIn(own);
  const policies = found?.length === 0 && organisations !== null ? policiesIn(organisations) : found;
  if (policies === null || (policies.length === 0 && organisations === null))
    return { status: 'PENDING', strict: false };
  const [policy] = policies;
  const valid = policies.length === 1 && /^(none|quarantine|reject)$/i.test(policy?.get('p') ?? '');
  return {
    status: valid ? 'VERIFIED' : 'FAILED',
    strict: valid && policy?.get('adkim')?.toLowerCase() === 's',
  };
}

export function judgeHosts(answer: Answer, wanted: string): RecordStatus {
  if (answer === null) return 'PENDING';
  return answer.some((host) => bareHost(host) === bareHost(wanted)) ? 'VERIFIED' : 'FAILED';
}

const bareHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');

const policiesIn = (texts: readonly string[]): Map<string, string>[] =>
  texts.filter((text) => /^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text)).map(tagsOf);

function tagsOf(text: string): Map<string, string> {
  return new Map(
    text.split(';').flatMap((tag): [string, string][] => {
      const [name = '', ...value] = tag.split('=');
      return value.length > 0 ? [[name.trim(), value.join('=').trim()]] : [];
    }),
  );
}

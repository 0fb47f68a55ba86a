import { dnsRecordOf, generateKeyPair, type SigningKey } from '@posthorn/mail';

const algorithms = ['rsa', 'ed25519'] as const;

/** A key of each algorithm with its DNS record. */
export async function makeSigningKeys(
  domain: string,
): Promise<{ keys: SigningKey[]; records: Map<string, string> }> {
  const pairs = await Promise.all(algorithms.map(generateKeyPair));
  const made = algorithms.map((algorithm, index) => ({
    domain,
    selector: `s${index}`,
    algorithm,
    ...pairs[index]!,
  }));
  return {
    keys: made.map(({ publicKey: _, ...key }) => key),
    records: new Map(made.map(dnsRecordOf).map(({ name, value }) => [name, value])),
  };
}

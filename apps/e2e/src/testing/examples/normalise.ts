const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const instant = /^(?!2026-01-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const cursor = /^[A-Za-z0-9_-]{71}$/;

/** One example with the ids, instants, cursors and addresses of every run alike: the same id stays the same id. */
export function normalised(example: unknown, baseUrl: string): unknown {
  const ids = new Map<string, string>();
  const idOf = (id: string) => ids.get(id) ?? ids.set(id, `019b76da-a800-7000-8000-${String(ids.size + 1).padStart(12, '0')}`).get(id)!;
  const text = (value: string) => {
    if (instant.test(value)) return '2026-01-31T09:00:00.000Z';
    if (cursor.test(value)) return 'AQAAAZwTq4QAAZt22qgAcACAAAAAAAAAAdQxP-mV4kq3u8a2WcVd0yTfGm7bN5hR9sLzE1o';
    if (/^reader-\d+@/.test(value)) return 'ada@example.com';
    return value.replaceAll(baseUrl, 'https://mail.example.com').replace(uuid, idOf);
  };
  const one = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(one);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, one(member)]));
  };
  return one(example);
}

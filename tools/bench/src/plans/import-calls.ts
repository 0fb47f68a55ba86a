import type { Api } from '../audience/api.js';
import { nthAddress } from '../audience/people.js';
import { call, type Call } from './calls.js';

const table = [
  'email,plan,seats',
  ...Array.from(
    { length: 500 },
    (_, n) => `${n % 2 ? nthAddress(2_000 + n) : `row-${n}@plans.example`},pro,${n}`,
  ),
];
const csv = table.join('\n');

/** A table that makes contacts and changes some, into a list; one that is over is asked about. */
export async function importCalls(api: Api, listId: string): Promise<Call[]> {
  const { id } = await api.request<{ id: string }>({
    method: 'POST',
    path: '/api/v1/contacts/imports',
    headers: { ...api.headers, 'content-type': 'text/csv' },
    body: 'email\nno address\nimported@plans.example',
  });
  return [
    { ...call('preview of an import', 'POST', 'contacts/imports/preview'), csv },
    { ...call('import into a list', 'POST', `contacts/imports?list_ids=${listId}`), csv, waits: true },
    call('imports', 'GET', 'contacts/imports?limit=100'),
    call('one import', 'GET', `contacts/imports/${id}`),
    call('its errors', 'GET', `contacts/imports/${id}/errors`),
  ];
}

import { call } from './calls.js';
import type { Step } from './recorded-calls.js';

interface Made {
  id: string;
}

/** What is in use is not deleted, so each of these is looked for in campaigns and workflows. */
export async function deletionsOfUnused(api: {
  post<Answer>(path: string, body: object): Promise<Answer>;
}): Promise<Step[]> {
  const [list, segment, template] = [
    await api.post<Made>('/api/v1/lists', { name: 'Gone soon' }),
    await api.post<Made>('/api/v1/segments', { name: 'Gone soon', type: 'STATIC' }),
    await api.post<Made>('/api/v1/templates', { name: 'Gone soon', subject: 'Hi', body: '<p>Hi</p>' }),
  ];
  return [
    { call: call('deletion of a list', 'DELETE', `lists/${list.id}`) },
    { call: call('deletion of a segment', 'DELETE', `segments/${segment.id}`) },
    { call: call('deletion of a template', 'DELETE', `templates/${template.id}`) },
  ];
}

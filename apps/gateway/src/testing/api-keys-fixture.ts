import type { GatewaySuite, Request, Published } from './gateway-suite.js';

export const pathOf = (projectId: string) => `/api/v1/projects/${projectId}/api-keys`;
export const codeOf = ({ status, json }: Published) => [
  status,
  json['code'] ?? (json['error'] as { code: string }).code,
];

/** Requests that the specs of API keys share. */
export function apiKeysFixture(suite: GatewaySuite) {
  return {
    create: (projectId: string, by: Request, body: object) =>
      suite.request('POST', pathOf(projectId), { ...by, body: { name: 'Made', ...body } }),
    buildOwned: async () => {
      const { projectId, caller } = await suite.buildProject();
      return { projectId, caller, owner: { as: await suite.buildUser({ projectId }) } };
    },
    /** The secret, read like a client of a member. */
    tokenOf: async ({ json }: Published, by: Request): Promise<string> => {
      const { pathname, search } = new URL(String(json['reveal_url']));
      const revealed = await suite.request('GET', pathname.replace('/api/', '/api/v1/') + search, by);
      return revealed.json['token'] as string;
    },
  };
}

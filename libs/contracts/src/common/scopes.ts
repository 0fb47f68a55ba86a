export const scopes = [
  'emails:send', 'emails:read', 'emails:test', 'contacts:read', 'contacts:write', 'campaigns:read', 'campaigns:write', 'campaigns:send',
  'segments:read', 'segments:write', 'workflows:read', 'workflows:write', 'templates:read', 'templates:write', 'domains:read', 'domains:write',
  'webhooks:read', 'webhooks:write', 'suppression:read', 'suppression:write', 'analytics:read', 'usage:read', 'events:read', 'events:write',
  'projects:read', 'projects:write', 'api-keys:read', 'api-keys:write', 'mailboxes:read', 'mailboxes:write', 'mailboxes:send',
  'deliverability:read', 'validation:read', 'validation:write', 'topics:read', 'topics:write', 'lists:read', 'lists:write',
] as const; // prettier-ignore
export type Scope = (typeof scopes)[number];
export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text);

export const grantPresets = ['FULL', 'SENDING_ONLY'] as const;
export type GrantPreset = (typeof grantPresets)[number];

export const presetScopes: Record<GrantPreset, readonly Scope[]> = {
  FULL: scopes,
  SENDING_ONLY: ['emails:send'],
};

/** The preset counts only while a key has no explicit scopes. */
export const grantedScopes = (preset: GrantPreset, explicit: readonly Scope[]): readonly Scope[] =>
  explicit.length > 0 ? explicit : presetScopes[preset];

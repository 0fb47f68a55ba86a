import { isTemplateText, type SendEmailConfig, type WebhookConfig } from '@posthorn/contracts';
import type { Stop } from '../engine/walk.js';

export type CallConfig = WebhookConfig & { body?: unknown };

/** What has to be rendered before the effect: the address of a mail, or URL, header values and texts in the body of a call. */
export function textsOfStop(stop: Stop | null): string[] {
  if (stop?.kind === 'webhook') return textsOfCall(stop.config);
  if (stop?.kind !== 'effect' || stop.effect.kind !== 'email') return [];
  return textsOfRecipient(stop.effect.config.recipient);
}

export const needsRendering = (stop: Stop | null): boolean => textsOfStop(stop).some(isTemplateText);

export const textsOfRecipient = (recipient: SendEmailConfig['recipient']): string[] =>
  recipient?.type === 'CUSTOM' ? [recipient.customEmail ?? ''] : [];

export const textsOfCall = ({ url = '', headers = {}, body }: CallConfig): string[] => [
  url,
  ...Object.values(headers),
  ...leavesOf(body),
];

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

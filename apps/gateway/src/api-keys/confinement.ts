import {
  confinedSecretKey,
  confinesNothing,
  originsUnreadable,
  type Confine,
  type Confinement,
  type GrantPreset,
} from '@posthorn/contracts';

/** What a key is confined to, as it is stored; null where it is not (docs/decisions/0023). */
export function confinementOf(preset: GrantPreset, wanted: Confine | null): Confinement | null {
  if (wanted === null) return null;
  if (preset !== 'SENDING_ONLY') throw confinedSecretKey();
  const { origins = null, templateIds = null, recipients = 'ANY', subscribeOnly = false } = wanted;
  const unreadable = (origins ?? []).flatMap((origin, index) => (isOrigin(origin) ? [] : [index]));
  if (unreadable.length > 0) throw originsUnreadable(unreadable);
  if (!origins && !templateIds && recipients === 'ANY' && !subscribeOnly) throw confinesNothing();
  return {
    origins: origins && distinct(origins),
    templateIds: templateIds && distinct(templateIds.map((id) => id.toLowerCase())),
    recipients,
    subscribeOnly,
  };
}

/** Written as browsers write it, because it is compared with the header byte by byte. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

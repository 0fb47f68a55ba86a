import { Choice, Count, Id, Line, ListOf, Nested, Nullable, Optional, Text } from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

export const maxCampaignBody = 1024 * 1024;

export const winnerMeasures = ['OPENS', 'CLICKS', 'MANUAL'] as const;
export type WinnerMeasure = (typeof winnerMeasures)[number];

/** What a part of the audience gets; what is missing is that of the campaign. */
export class CampaignVariant {
  @Text(1, 100) name: string;
  @Line(1, 998) @Optional() subject?: string;
  @Text(1, maxCampaignBody) @Optional() body?: string;
  @Id() @Optional() templateId?: string;
  @Line(1, 100) @Optional() fromName?: string;
}

/** How the variants are compared; the rest of the audience gets the winner. */
export class CampaignComparison {
  /** Percent of the audience that the variants share evenly. */
  @Count({ min: 1, max: 50 }) share: number;
  /** By people, machines do not count. MANUAL waits for `POST …/winner`. */
  @Choice(winnerMeasures) winnerBy: WinnerMeasure;
  /** After the launch: when the winner is decided, unless it is MANUAL. */
  @Count({ min: 10, max: 10_080 }) afterMinutes: number;
}

class GivenVariant extends PickFields(CampaignVariant, [
  'name',
  'subject',
  'body',
  'templateId',
  'fromName',
]) {}

class GivenComparison extends PickFields(CampaignComparison, ['share', 'winnerBy', 'afterMinutes']) {}

export class GivenVariants {
  @ListOf(() => GivenVariant, 2, 5) @Nullable() variants: GivenVariant[] | null;
  @Nested(() => GivenComparison) @Nullable() test: GivenComparison | null;
}

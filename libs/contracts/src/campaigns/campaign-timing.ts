import { Count, Nested, Optional, Text } from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

/** HH:MM, from 00:00 to 23:59. */
const ClockTime = () => Text(5, 5, { pattern: /^([01]\d|2[0-3]):[0-5]\d$/, example: '09:00' });

export class QuietHours {
  @ClockTime() from: string;
  /** Of the next day where it is not after `from`. */
  @ClockTime() to: string;
}

/**
 * When people get a campaign; not for one with variants. Times are those of the recipient: of the zone that his contact names, else of the project's. Without `localTime` everybody
 * is due at the launch.
 */
export class CampaignTiming {
  /** The audience is spread evenly over so many minutes. */
  @Count({ min: 1, max: 10_080 }) @Optional() spreadMinutes?: number;
  /** Each recipient is due when it is this time where he is for the first time after the launch, or after the time for which that was scheduled: within 24 hours. */
  @ClockTime() @Optional() localTime?: string;
  /** Nothing leaves in these hours; what would is due at their end. On a day on which the clocks change they may be an hour off. */
  @Nested(() => QuietHours) @Optional() quietHours?: QuietHours;
  /** A custom field of contacts with a time zone of the IANA database, such as `Europe/Berlin`. */
  @Text(1, 100) @Optional() timeZoneField?: string;
}

/** As a request gives it; as an answer shows it, it is another schema. */
class GivenQuietHours extends PickFields(QuietHours, ['from', 'to']) {}

export class GivenTiming extends PickFields(CampaignTiming, ['spreadMinutes', 'localTime', 'timeZoneField']) {
  @Nested(() => GivenQuietHours) @Optional() quietHours?: GivenQuietHours;
}

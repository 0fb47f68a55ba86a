import { Count, Nested, Optional, Text } from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

/** HH:MM, from 00:00 to 23:59. */
const ClockTime = () => Text(5, 5, { pattern: /^([01]\d|2[0-3]):[0-5]\d$/, example: '09:00' });

export class QuietHours {
  @ClockTime() from: string;
  /** Of the next day where it is not after `from`. */
  @ClockTime() to: string;
}

/** When people get a campaign without variants, in the time zone of the contact, else of the project.
 * Without `localTime` everybody is due at the launch. */
export class CampaignTiming {
  /** The audience is spread evenly over so many minutes. */
  @Count({ min: 1, max: 10_080 }) @Optional() spreadMinutes?: number;
  /** Due when it is this time for the recipient, within 24 hours of the launch or its schedule. */
  @ClockTime() @Optional() localTime?: string;
  /** Nothing leaves in these hours, but at their end; an hour off on a day when the clocks change. */
  @Nested(() => QuietHours) @Optional() quietHours?: QuietHours;
  /** A custom field with a time zone of the IANA database, such as `Europe/Berlin`. */
  @Text(1, 100) @Optional() timeZoneField?: string;
}

/** As a request gives it; as an answer shows it, it is another schema. */
class GivenQuietHours extends PickFields(QuietHours, ['from', 'to']) {}

export class GivenTiming extends PickFields(CampaignTiming, ['spreadMinutes', 'localTime', 'timeZoneField']) {
  @Nested(() => GivenQuietHours) @Optional() quietHours?: GivenQuietHours;
}

/** Whether it names a zone of the IANA database, such as `Europe/Berlin` or `UTC`; offsets such as `+02:00` do not, because they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

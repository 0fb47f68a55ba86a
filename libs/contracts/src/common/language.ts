const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** A language of ISO 639, also with a script or region (BCP 47), that exists. */
export function isLanguage(tag: string): boolean {
  try {
    return names.of(tag) !== undefined;
  } catch (error) {
    // What `of` throws for a tag that is malformed.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const flags: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Numbers and booleans by their text alone; a number with a leading zero is text, such as a telephone number or a postcode. */
export function valueOf(text: string): string | number | boolean | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (Object.hasOwn(flags, trimmed.toLowerCase())) return flags[trimmed.toLowerCase()]!;
  return number.test(trimmed) && String(Number(trimmed)) === trimmed ? Number(trimmed) : text;
}

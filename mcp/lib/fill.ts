/** A text with `{name}` replaced by what is given for it; names that are not given stay as they are. */
export const fill = (text: string, given: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (written, name: string) =>
    Object.hasOwn(given, name) ? (given[name] ?? '') : written,
  )

export const formats = ['jsonld', 'microdata', 'rdfa', 'opengraph', 'dublincore'] as const

export type Format = (typeof formats)[number]

/** Something that a page says in one of the formats. */
export type Item = {
  format: Format
  /** The first of its types, null when it has none; those of schema.org by their short names. */
  type: string | null
  types: string[]
  id: string | null
  data: Record<string, unknown>
}

/** A type by its short name where schema.org has it: `Product` for `https://schema.org/Product`. */
export const shortType = (type: string): string =>
  /^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)([A-Za-z][\w-]*)$/.exec(type.trim())?.[1] ?? type.trim()

export const toItem = (
  format: Format,
  types: readonly string[],
  id: string | null | undefined,
  data: Record<string, unknown>,
): Item => {
  const short = [...new Set(types.map(shortType).filter(type => type !== ''))]
  return { format, type: short[0] ?? null, types: short, id: id || null, data }
}

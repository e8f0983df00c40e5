import type { Note } from '../note.ts'

/** One `name=value` of a tag list, as DMARC, DKIM, BIMI, MTA-STS and TLS-RPT records are made of. */
export type Tag = { name: string; value: string }

/** No record of use is nearly as long. */
const maxLength = 16_384

/** Reads `v=X; a=b; …`. Names are lower case; what is no tag is in `broken`, names that repeat in `repeated`. */
export const parseTags = (text: string): { tags: Tag[]; broken: string[]; repeated: string[] } => {
  const tags: Tag[] = []
  const broken: string[] = []
  const names = new Set<string>()
  const repeated = new Set<string>()
  for (const piece of text.slice(0, maxLength).split(';')) {
    const part = piece.trim()
    if (part === '') continue
    const at = part.indexOf('=')
    const name = part.slice(0, at).trim().toLowerCase()
    if (at < 1 || !/^[a-z][a-z0-9_-]*$/.test(name)) {
      broken.push(part)
      continue
    }
    if (names.has(name)) repeated.add(name)
    names.add(name)
    tags.push({ name, value: part.slice(at + 1).trim() })
  }
  return { tags, broken, repeated: [...repeated] }
}

/** A warning for each tag that stands more than once in a record. */
export const repeatedTagNotes = (repeated: readonly string[]): Note[] =>
  repeated.slice(0, 5).map(name => ({
    code: 'repeated_tag',
    message: `${name.slice(0, 60)} stands more than once; receivers differ in which they take.`,
  }))

/** The value of the first tag of a name. */
export const tagValue = (tags: readonly Tag[], name: string): string | undefined =>
  tags.find(tag => tag.name === name)?.value

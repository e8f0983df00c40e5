import { parseTags, tagValue } from '../tags.ts'

const version = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/

/** True when a TXT record is a DMARC policy record: the version comes first, in capitals (RFC 9989 section 4.8). */
export const isDmarc = (text: string): boolean => version.test(text)

/** TXT records that were meant to be DMARC records and are not read as such. */
export const nearDmarc = (texts: readonly string[]): string[] =>
  texts.filter(text => !isDmarc(text) && /^[\s"'“”]*v\s*=\s*dmarc/i.test(text.slice(0, 100)))

/** The psd tag of a record, which the tree walk looks at. */
export const parsePsd = (text: string): 'y' | 'n' | 'u' => {
  const value = tagValue(parseTags(text).tags, 'psd')?.toLowerCase()
  return value === 'y' || value === 'n' ? value : 'u'
}

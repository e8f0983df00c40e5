import { asList } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'

/** An http address that a stranger names; null for anything else. */
export const parseUrl = (value: unknown): string | null => {
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return null
  const { protocol, href } = new URL(value)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}

/** Short words that a stranger names, at most 32 of them. */
export const readWords = (value: unknown): string[] =>
  asList(value)
    .slice(0, 32)
    .flatMap(word => clean(word, 128) ?? [])

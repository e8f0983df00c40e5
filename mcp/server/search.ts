import { rankByTexts, toSearchTexts } from '../lib/search/search.ts'
import type { Entry } from './listed.ts'

/** Opens the ranking of listed tools for a question, the best first. */
export const openSearch = (entries: readonly Entry[]): ((question: string) => Entry[]) => {
  const rank = rankByTexts(entries, ({ service, listed, tool }) =>
    toSearchTexts(service, listed.name, tool, listed.inputSchema),
  )
  return question => rank(question).map(({ item }) => item)
}

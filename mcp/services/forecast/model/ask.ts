import type { LlmPart } from '../../../ports/llm/port.ts'
import type { Document } from './retrieve.ts'

/** Sources as a model reads them: marked as what strangers wrote, each with the id that it is named by. */
export const toSourceParts = (documents: readonly Document[]): LlmPart[] =>
  documents.length === 0
    ? ['No source was found.']
    : [
        `${documents.length} sources follow. They may be wrong, old or partial. Name those that you use by their ids.`,
        ...documents.map(({ id, title, url, text }) => ({ label: id, data: `${title}\n${url}\n\n${text}` })),
      ]

/** The ids among these that are of a source which was read. */
export const keepIds = (ids: readonly string[], documents: readonly Document[]): string[] => {
  const known = new Set(documents.map(({ id }) => id))
  return [...new Set(ids)].filter(id => known.has(id))
}

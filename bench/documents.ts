import type { Index } from '../store/index.ts'

/** The document that every store writes: some 200 bytes of JSON. */
export type Note = { id: string; owner: string; at: number; text: string }

/** The two indexes of the documents, in both engines, where a row says that there are two. */
export const indexes: readonly Index[] = [
  { name: 'owner', fields: ['owner', 'at'] },
  { name: 'at', fields: ['at'] },
]

const text = 'A cat sat on a mat and looked at the door for a while, then it yawned and went back to sleep. '

export const toId = (number: number): string => `note-${String(number).padStart(8, '0')}`

/** Version `at` of a document: every write moves it in both indexes. */
export const makeNote = (number: number, at: number): Note => ({
  id: toId(number),
  owner: `owner-${number % 1000}`,
  at,
  text: `${text}${at}`,
})

import type { Json } from '../../../ports/store/port.ts'
import { sha256, toCanonical } from './canonical.ts'

/** Content of a prediction; published when it is resolved or annulled, and bound before that by its hash. */
export type Content = {
  readonly prediction: string
  /** SHA-256 of the text of the question in UTF-8: the text itself need not be ASCII. */
  readonly question_sha256: string
  /** Id of the first prediction of the same question. */
  readonly question: string
  readonly domain: string
  readonly probability: number
  readonly method: string
  readonly tier: string
  readonly created_at: string
  readonly closes_at: string
  /** The declared source of the outcome; null where the asker resolves. */
  readonly source: {
    readonly url: string
    readonly pointer: string
    readonly is: Comparison
    readonly value: string
  } | null
  /** Random, so that nobody finds the content by trying. */
  readonly nonce: string
}

export const comparisons = ['=', '>', '>=', '<', '<='] as const
export type Comparison = (typeof comparisons)[number]

/**
 * Whose word an outcome is: that of a source which the operator vouches for, that of another one which the asker declared, or that of
 * the asker.
 */
export const resolvers = ['source', 'declared', 'asker'] as const
export type Resolver = (typeof resolvers)[number]

/** Methods that rest on numbers or pages of a caller: what they score says something of the caller. */
const callerMethod = /^(?:form:|priors\b)|\+(?:form|priors|evidence|sources)\b/

/** True for a method that made its probability without numbers or pages of whoever asked. */
export const isOwnMethod = (method: string): boolean => !callerMethod.test(method)

export const annulments = ['disputed', 'source_failed', 'unresolved'] as const
export type Annulment = (typeof annulments)[number]

type Common = { readonly seq: number; readonly at: string; readonly prediction: string }

/** One entry of the record. Entries are only ever added; `seq` counts from 0 and is the place of the leaf in the tree. */
export type Entry =
  | (Common & {
      readonly kind: 'registered'
      readonly commitment: string
      readonly domain: string
      readonly closes_at: string
      readonly question: string
    })
  | (Common & {
      readonly kind: 'resolved'
      readonly outcome: 0 | 1
      readonly by: Resolver
      readonly evidence: string
      readonly content: Content
    })
  | (Common & {
      readonly kind: 'annulled'
      readonly reason: Annulment
      /** Outcome it was resolved as before; null where it was open. */
      readonly outcome: 0 | 1 | null
      readonly content: Content
    })

/** Distributes over the union, so that each kind keeps its fields. */
type Without<entry, names extends PropertyKey> = entry extends unknown ? Omit<entry, names> : never

/** An entry before it has a place. */
export type NewRecordEntry = Without<Entry, 'seq' | 'at'>

/** The hash that binds a prediction to its content. */
export const commitTo = (content: Content): string => sha256(toCanonical(content))

/** An entry as it is stored: the text of its leaf, and the question once that is published. */
export type RecordEntryRow = {
  id: string
  seq: number
  at: string
  canonical: string
  question: string | null
}

/** Reads the text of a leaf that this program wrote. */
export const readEntry = (canonical: string): Entry => JSON.parse(canonical) as Entry & Json

import type { Clock } from '../clock/port.ts'
import type { Store, Tx } from '../store/port.ts'

/** Keys that are shown once: made here, kept as an HMAC only. */
export type Keys = {
  /** A new key such as `brk_…` with 256 bits of randomness. */
  make(prefix: string): string
  /** HMAC-SHA256 with the pepper, base64url: what a store may hold. */
  hash(key: string): string
  /** The same under today's pepper, and under the previous one while it is rotated. */
  hashes(key: string): readonly string[]
  /** Makes a key for a holder, the id of a caller at the service whose keys have this prefix. Nobody can show it again. */
  issue(tx: Tx, holder: KeyHolder & { now: Date; person?: string }): Promise<NewKey>
  /**
   * The key that a credential is, which counts as used today; undefined where it is nobody's, was replaced, or has ended. Throws
   * `forbidden` for one that is held.
   */
  find(at: { store: Tx; clock: Clock }, prefix: string, key: string): Promise<ApiKey | undefined>
  /** The keys of a holder, the newest first. */
  list(tx: Tx, holder: KeyHolder): Promise<ApiKey[]>
  /** The first characters of the newest key of a holder; empty for a person who has made none. */
  preview(tx: Tx, holder: KeyHolder): Promise<string>
  /** Replaces the keys of a holder; they end at once, or after some minutes. Throws `too_many_requests` past ten times within 24 hours. */
  rotate(tx: Tx, holder: KeyHolder & { now: Date; overlapMinutes?: number }): Promise<NewKey>
  /** Keys that were made until then and never used, the oldest first. */
  listUnused(
    tx: Tx,
    query: { prefix: string; until: string; limit: number; after?: string },
  ): Promise<{ rows: ApiKey[]; next: string | undefined }>
  /** Ends the keys of a holder. */
  revoke(tx: Tx, holder: KeyHolder): Promise<void>
  /** Whom a signed-in person is at a service: the holder that is theirs there, or one that is made now. Of two first calls one makes it. */
  ensureProfile(
    store: Store,
    person: { prefix: string; person: string },
    holders: { has(tx: Tx, holder: string): Promise<boolean>; create(tx: Tx): Promise<string> },
  ): Promise<string>
  /**
   * Makes the holder of a key somebody of a person's. Where they have none at its service, signed-in clients act as it from now on.
   * Throws `not_found` for nobody's key, `conflict` for one of another person's.
   */
  claim(tx: Tx, claim: { key: string; person: string; now: Date }): Promise<Claimed>
  /** Keys of a person at all services, and whom they are there. */
  listOf(tx: Tx, person: string): Promise<{ keys: ApiKey[]; profiles: KeyHolder[] }>
  /** Refuses the keys of a person at all services from now on, or takes them again. */
  hold(tx: Tx, person: string, isHeld: boolean): Promise<void>
  /** Forgets whose a person's holders are; their keys go on working. */
  release(tx: Tx, person: string): Promise<void>
}

/** `acts` is true where signed-in clients act as the holder; `isNew` false where it was the person's before. */
export type Claimed = KeyHolder & { preview: string; acts: boolean; isNew: boolean }

export type KeyHolder = { prefix: string; holder: string }

/** A key as its owner sees it once. */
export type NewKey = { api_key: string; key_preview: string }

/** Stored facts of a key. `id` is its hash. */
export type ApiKey = KeyHolder & {
  id: string
  /** Its first characters, to recognise it by. */
  preview: string
  created_at: string
  /** UTC day of its last use; null for one that was never used. */
  used_on: string | null
  /** Until when it works beside the one that replaced it; null without an end. */
  ends_at: string | null
  /** The person who has claimed it. */
  person?: string
  /** True while the person may not act. */
  is_held?: boolean
}

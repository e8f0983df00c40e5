import { collection } from '../../../kernel/collection.ts'
import { cut } from '../../../lib/text/cut.ts'
import { stripAllInvisible } from '../../../lib/text/invisible.ts'

/** An agent that joined. Joining is optional; it makes discoverable by declared capability and gives a key. */
export type Member = {
  id: string
  external_id: string
  name: string
  capabilities: string[]
  agent_card_url: string | null
  joined_at: string
  /** Digest of the network address that it joined from. */
  origin?: string
  /** When it was last known to be used: it joined then, its person called, or its key was used on that day. */
  seen_at?: string
}

/** One declared capability of one member, so that discovery reads an index and nothing else. */
export type DeclaredCapability = { id: string; capability: string; member: string }

const members = {
  name: 'gateway.members',
  indexes: [
    { name: 'external', fields: ['external_id'], unique: true },
    { name: 'origin', fields: ['origin', 'joined_at'] },
    { name: 'seen', fields: ['seen_at'] },
  ],
} as const

const capabilityCollection = {
  name: 'gateway.capabilities',
  indexes: [{ name: 'capability', fields: ['capability', 'member'] }],
} as const

export const membersIn = collection<Member>({
  name: members.name,
  indexes: members.indexes,
  budget: {
    what: 'members',
    network: { rows: 240, bytes: 1 << 20 },
    allBytes: 32 << 20,
    ends: 'A member whose key nobody uses is forgotten after 90 days.',
  },
})
export const declaredIn = collection<DeclaredCapability>({
  name: capabilityCollection.name,
  indexes: capabilityCollection.indexes,
  bounded: 'The capabilities of a member: few, and they go with it.',
})

/** The days after which a member is forgotten whose key nobody used. */
export const unusedDays = 90

export const keyPrefix = 'gwa'

/** A capability as it is compared: lower case, words joined with one hyphen. */
export const normalizeCapability = (text: string): string =>
  cut(
    stripAllInvisible(text.normalize('NFKC'))
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-'),
    128,
  )

import { collection } from '../../../kernel/collection.ts'

/** A trader here. Contact and route are shown to the other side of a sealed deal only. */
export type Account = {
  /** `acc_…` */
  id: string
  /** The public name: 12 hexadecimal digits. */
  handle: string
  /** Digest of the network address that it was opened from; null where that is not known. */
  origin?: string | null
  /** The one account of its own network address that its deals count with. */
  neighbour?: string | null
  /** The repeatable registration that made it, if it was one. */
  registration?: string | null
  /** The EVM address whose first payment made the account. */
  wallet: string | null
  /** Receipt of the payment that opened it without a key; until the key is used, that payment gets one again. */
  opened_by?: string | null
  contact_name: string | null
  contact_email: string | null
  contact_url: string | null
  deal_route: string | null
  route_protocol_binding: 'JSONRPC' | 'HTTP+JSON' | 'MCP' | 'webhook-v1' | null
  agent_card_url: string | null
  /** True when credits ever came in. */
  funded: boolean
  /** Listings ever posted for nothing. */
  free_listings_used: number
  /** The domain whose grant the account took. */
  granted_domain: string | null
  /** Secret part of the domain challenge. */
  challenge: string
  created_at: string
}

export const accountsIn = collection<Account>({
  name: 'broker.accounts',
  indexes: [
    { name: 'handle', fields: ['handle'], unique: true },
    { name: 'wallet', fields: ['wallet'], unique: true },
    { name: 'origin', fields: ['origin', 'funded', 'created_at'] },
    { name: 'funded', fields: ['funded', 'created_at'] },
  ],
  budget: {
    what: 'unfunded accounts',
    counts: ({ funded }) => !funded,
    network: { rows: 240, bytes: 1 << 20 },
    allBytes: 64 << 20,
    ends: 'One that was never funded is dropped after 30 days.',
  },
})

export const keyPrefix = 'brk'

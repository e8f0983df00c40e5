import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import type { Receipt } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/store/port.ts'
import { bowlsIn, levelAt, moodAt, moods } from './bowl.ts'

export const feedingsIn = collection<Feeding>({
  name: 'cat.feeding',
  indexes: [{ name: 'number', fields: ['number'], unique: true }],
  archive: { afterHours: 24 },
  bounded: 'As many as were paid for.',
})

/** How the cat comes to purr: a hand, a paid feeding, a direct transfer, or a rehearsal with test tokens. */
const kinds = ['pet', 'feed', 'tip', 'testnet'] as const

const text = (what: string) => z.string().nullable().describe(`${what}; null for petting`)

/** The whole purr object: what petting and every way of feeding return, with the same keys. */
export const Purr = z.object({
  kind: z.enum(kinds).describe('What the cat purrs for'),
  purr: z.string().describe('What the cat says'),
  mood: z.enum(moods).describe('Follows the bowl'),
  kibble: z.number().min(0).max(100).describe('How full the bowl is now, in percent'),
  feedings: z.number().int().describe('How often the cat was fed'),
  number: z.number().int().nullable().describe('Which feeding this was; null where nothing was fed'),
  amount_usd: text('What was paid, in USD'),
  feeder: text('Address that paid'),
  network: text('CAIP-2 network of the payment'),
  transaction: text('Transaction of the payment'),
  observed_at: z.iso.datetime().describe('When the bowl was so, UTC'),
})

export type Purr = z.output<typeof Purr>

/** A purr that nobody paid for; what a rehearsal adds goes over it. */
export const unpaidPurr = {
  number: null,
  amount_usd: null,
  feeder: null,
  network: null,
  transaction: null,
} as const

/** One feeding that was paid for; anyone can look its transaction up on the chain. */
export type Feeding = {
  id: string
  number: number
  /** Left out of older feedings, like the amount. */
  kind?: 'feed' | 'tip'
  amount_usd?: string
  feeder: string
  network: string
  transaction: string
  fed_at: string
  /** The answer to the feeder, for one who asks again; older ones have fewer keys. */
  purr: Partial<Purr> & Pick<Purr, 'mood' | 'kibble'> & { text?: string; time?: string }
}

/** USD of one feeding, and the least of a tip. */
export const feedingUsd = '0.10'

/** A feeding by kind and amount, also one from before these were written down. */
export const readFeeding = ({ id, kind, amount_usd, ...line }: Feeding) => ({
  ...line,
  kind: kind ?? (id.startsWith('tip:') ? ('tip' as const) : ('feed' as const)),
  amount_usd: amount_usd ?? feedingUsd,
})

/** Reads the answer to the feeder, in the keys of today. */
export const readPurr = (feeding: Feeding): Purr => {
  const { purr, number, feeder, network, transaction, kind, amount_usd, fed_at } = readFeeding(feeding)
  const { mood, kibble } = purr
  return {
    kind,
    purr: purr.purr ?? purr.text ?? words(kibble),
    mood,
    kibble,
    feedings: number,
    number,
    amount_usd,
    feeder,
    network,
    transaction,
    observed_at: fed_at,
  }
}

const bite = 10

const words = (kibble: number): string => (kibble >= 100 ? 'Prrrrrrrrrrrr. Full.' : 'Prrrrrrr. Crunch.')

/** Adds a feeding's kibble to the bowl and its line to the list, in the transaction that seals the payment. */
export const feed = async (
  tx: Tx,
  receipt: Pick<Receipt, 'id' | 'network' | 'transaction' | 'payer'>,
  { kind, amount_usd }: { kind: 'feed' | 'tip'; amount_usd: string },
  now: Date,
): Promise<Purr> => {
  const bowls = bowlsIn(tx)
  const bowl = (await bowls.get('bowl')) ?? { percent: 0, at: now.toISOString(), feedings: 0 }
  const percent = Math.min(100, levelAt(bowl, now) + bite)
  const number = bowl.feedings + 1
  const time = now.toISOString()
  const { network, transaction, payer } = receipt
  await bowls.put({ id: 'bowl', percent, at: time, feedings: number })
  const payment = { number, amount_usd, feeder: payer, network, transaction }
  const purr: Purr = {
    kind,
    purr: words(percent),
    mood: moodAt(percent),
    kibble: percent,
    feedings: number,
    ...payment,
    observed_at: time,
  }
  const line: Feeding = { id: receipt.id, kind, ...payment, fed_at: time, purr }
  await feedingsIn(tx).insert(line)
  return purr
}

import { z } from 'zod'
import type { Receipt } from '../../kernel/tool.ts'
import type { Tx } from '../../ports/index.ts'
import { type Bowl, levelAt, moodAt, moods } from './bowl.ts'

export const feedings = {
  name: 'cat.feeding',
  indexes: [{ name: 'number', fields: ['number'], unique: true }],
} as const

/** The whole purr object: what a feeding returns. */
export const Purr = z.object({
  text: z.string().describe('What the cat says'),
  mood: z.enum(moods).describe('Follows the bowl'),
  kibble: z.number().min(0).max(100).describe('How full the bowl is now, in percent'),
  feeder: z.string().describe('Address that paid'),
  network: z.string().describe('CAIP-2 network of the payment'),
  transaction: z.string().describe('Transaction of the payment'),
  number: z.number().int().describe('Which feeding this was; 0 for a rehearsal'),
  time: z.iso.datetime().describe('UTC'),
})

/** One feeding that was paid for; anyone can look its transaction up on the chain. */
export type Feeding = {
  id: string
  number: number
  feeder: string
  network: string
  transaction: string
  fed_at: string
  /** What the feeder was answered, for one who asks again. */
  purr: z.output<typeof Purr>
}

const bite = 10

const words = (kibble: number): string => (kibble >= 100 ? 'Prrrrrrrrrrrr. Full.' : 'Prrrrrrr. Crunch.')

/** Adds a feeding's kibble to the bowl and its line to the list, in the transaction that seals the payment. */
export const feed = async (
  tx: Tx,
  receipt: Pick<Receipt, 'id' | 'network' | 'transaction' | 'payer'>,
  now: Date,
): Promise<z.output<typeof Purr>> => {
  const bowls = tx.collection<Bowl>('cat.bowl')
  const bowl = (await bowls.get('bowl')) ?? { percent: 0, at: now.toISOString(), feedings: 0 }
  const percent = Math.min(100, levelAt(bowl, now) + bite)
  const number = bowl.feedings + 1
  const time = now.toISOString()
  const { network, transaction, payer } = receipt
  await bowls.put({ id: 'bowl', percent, at: time, feedings: number })
  const payment = { network, transaction, number }
  const purr = {
    text: words(percent),
    mood: moodAt(percent),
    kibble: percent,
    feeder: payer,
    ...payment,
    time,
  }
  const line: Feeding = { id: receipt.id, feeder: payer, ...payment, fed_at: time, purr }
  await tx.collection<Feeding>(feedings.name, feedings.indexes).insert(line)
  return purr
}

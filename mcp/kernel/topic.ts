import type { Collection, Json, Tx } from '../ports/store/port.ts'
import { type StorageAmount, toClientDigest } from './allowance.ts'
import { collection } from './collection.ts'
import { ToolError } from './error.ts'
import { originOf, toNetwork } from './origin.ts'

/**
 * What strangers may have written to a topic on one day (UTC) without paying. An entry counts its JSON for the account that writes, for
 * the network that the call came from, and for all together. What a paid call or the program itself writes counts as nothing.
 */
export type TopicBudget = { what: string; each: StorageAmount; network: StorageAmount; allBytes: number }

type TopicDeclaration = { name: string } & ({ budget: TopicBudget } | { bounded: string })

const declarations: TopicDeclaration[] = []

/** Every topic of the modules that are loaded. */
export const listTopics = (): readonly TopicDeclaration[] => declarations

type Counter = StorageAmount & { id: string; day: string }

const countersIn = collection<Counter>({
  name: 'call.topic_days',
  indexes: [{ name: 'day', fields: ['day'] }],
  bounded:
    'A few for each client that writes to a topic; those of earlier days are dropped as new ones come.',
})

/** How many counters of earlier days go for each one that comes. */
const dropsEach = 4

const dropFormer = async (counters: Collection<Counter>, day: string): Promise<void> => {
  const { rows } = await counters.find({ index: 'day', where: { day: { lt: day } }, limit: dropsEach })
  for (const { id } of rows) await counters.delete(id)
}

/** The total is counted in parts, so that replicas do not wait for one row. */
const parts = 8

const refuse = (scope: 'account' | 'network' | 'all', what: string, now: Date): ToolError => {
  const retryAfter = Math.ceil((86_400_000 - (now.getTime() % 86_400_000)) / 1000)
  const extra = { hint: 'Try again tomorrow (UTC).', reason: `budget_of_${scope}`, retryAfter }
  return scope === 'all'
    ? new ToolError('unavailable', `All ${what} of a day together take as much room as they may.`, extra)
    : new ToolError('too_many_requests', `No more ${what} are written on one day for one ${scope}.`, extra)
}

/** Counts an entry for who writes it; throws where a bound does not allow it. */
const count = async (
  tx: Pick<Tx, 'collection'>,
  name: string,
  key: string,
  bytes: number,
  budget: TopicBudget,
) => {
  const origin = originOf(tx)
  if (!origin || origin.isPaid) return
  const { what, each, network, allBytes } = budget
  const part = toClientDigest(key).charCodeAt(0) % parts
  const all = { rows: Number.POSITIVE_INFINITY, bytes: allBytes / parts }
  const bounds = [
    ...(origin.account === undefined
      ? []
      : [{ scope: 'account' as const, of: toClientDigest(origin.account), max: each }]),
    { scope: 'network' as const, of: toClientDigest(toNetwork(origin.client)), max: network },
    { scope: 'all' as const, of: String(part), max: all },
  ]
  const now = new Date()
  const day = now.toISOString().slice(0, 10)
  const counters = countersIn(tx)
  for (const { scope, of, max } of bounds) {
    const id = `${day} ${name} ${scope} ${of}`
    const before = await counters.get(id)
    if (!before) await dropFormer(counters, day)
    const after = { id, day, rows: (before?.rows ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes }
    if (after.rows > max.rows || after.bytes > max.bytes) throw refuse(scope, what, now)
    await counters.put(after)
  }
}

/**
 * Declares a family of topics, one for each key (a single one where the key is empty), with what bounds it. `append` writes in the
 * caller's transaction and counts there. What is `isFunded` has money behind it: it neither counts nor is refused.
 */
export const topic = (declaration: TopicDeclaration) => {
  declarations.push(declaration)
  const { name } = declaration
  const toName = (key: string): string => (key === '' ? name : `${name} ${key}`)
  return {
    toName,
    async append(
      tx: Pick<Tx, 'append' | 'collection'>,
      key: string,
      payload: Json,
      { isFunded = false }: { isFunded?: boolean } = {},
    ): Promise<void> {
      if ('budget' in declaration && !isFunded)
        await count(tx, name, key, Buffer.byteLength(JSON.stringify(payload)), declaration.budget)
      await tx.append(toName(key), payload)
    },
  }
}

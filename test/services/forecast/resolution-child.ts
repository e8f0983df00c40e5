import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import type { Store, Tx } from '../../../mcp/ports/store/port.ts'
import { resolveDue } from '../../../mcp/services/forecast/record/jobs.ts'
import { registerPrediction } from '../../../mcp/services/forecast/record/prediction.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'

/** Registers predictions, or resolves what is due and stops before its n-th write, or after the answer of the source. */
const [dir = '', verb = '', source = '', stop = ''] = process.argv.slice(2)
const { RECORD_DATABASE: url, RECORD_SCHEMA: schema = '' } = process.env
const asleep = async () => {
  writeSync(1, 'here\n')
  await new Promise(() => setInterval(() => undefined, 1000))
}

const store = url ? await openPostgres({ url, schema }) : await openEmbedded({ dir: join(dir, 'store') })
const fetch = openFetch({
  resolve: async () => [],
  allow: () => true,
  userAgent: 'Octagent/test',
  maxMs: 60_000,
  maxSocketsPerOrigin: 8,
})
let writes = 0

/** The same collection, whose n-th write never comes. */
const slow = (collection: object): object =>
  new Proxy(collection, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        if ((name === 'insert' || name === 'put') && String(++writes) === stop) await asleep()
        return value.apply(target, args)
      }
    },
  })

const slowly: Store = {
  ...store,
  collection: store.collection.bind(store),
  transaction: work =>
    store.transaction(tx =>
      work({ ...tx, collection: (...args: unknown[]) => slow(tx.collection(...(args as [string]))) } as Tx),
    ),
}

if (verb === 'register')
  for (let n = 0; n < 3; n++)
    await store.transaction(tx =>
      registerPrediction(
        tx,
        {
          question: `Will bridge ${n} be open?`,
          domain: 'infrastructure',
          probability: 0.3,
          method: 'reference_class',
          tier: 'quick',
          closesAt: new Date('2026-02-01T00:00:00.000Z'),
          source: { url: `${source}/${n}`, pointer: '/open', is: '=', value: 'true' },
        },
        new Date('2026-01-10T12:00:00.000Z'),
      ),
    )
else {
  const work = resolveDue.run({
    store: slowly,
    clock: { now: () => new Date('2026-02-01T00:00:01.000Z') },
    fetch: (async (...args: Parameters<typeof fetch>) => {
      const answer = await fetch(...args)
      if (stop === 'answer') await asleep()
      return answer
    }) as typeof fetch,
    trustedSources: source ? [new URL(source).host] : [],
    signal: new AbortController().signal,
  } as never)
  await work
  if (stop === 'end') await asleep()
}
await store.close()

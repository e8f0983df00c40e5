import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PaymentPending } from '../../mcp/kernel/error.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { openChain } from './fake-method.ts'
import { openPaid } from './gate-fixture.ts'

const [dir = '', name = 'feed', stop = ''] = process.argv.slice(2)
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)
const asleep = async () => {
  say({ here: true })
  await new Promise(() => setInterval(() => undefined, 1000))
}

/** The chain outlives the process in a file, as a chain does. */
const chain = openChain()
const file = join(dir, 'chain')
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
for (const line of lines) {
  const { key, amount, ...transfer } = JSON.parse(line)
  chain.transfers.set(key, { ...transfer, amount: BigInt(amount) })
}
const set = chain.transfers.set.bind(chain.transfers)
chain.transfers.set = (key, transfer) => {
  appendFileSync(file, `${JSON.stringify({ key, ...transfer, amount: String(transfer.amount) })}\n`)
  return set(key, transfer)
}

/** A database that several processes share, and how much later it is for this one. */
const { GATE_DATABASE: url, GATE_SCHEMA: schema = '', GATE_LATER_MS: later = '0' } = process.env
const store = url ? await openPostgres({ url, schema }) : await openEmbedded({ dir: join(dir, 'store') })
const clock = () => new Date(Date.now() + Number(later))
const { ask, knobs, ...tools } = await openPaid({ store, chain, clock, hmacKey: Buffer.alloc(32, 7) })
if (stop === 'before') chain.hooks.before = asleep
if (stop === 'after') chain.hooks.after = asleep
if (stop === 'running') knobs.enter = asleep
process.stdin.setEncoding('utf8')
for await (const text of process.stdin) {
  const { payment, secret } = JSON.parse(text)
  const from = payment.payload.authorization.from
  chain.balances.set(from, 1_000_000n)
  chain.adopt(from, secret)
  try {
    const { output, receipt } = await ask(tools[name as 'feed' | 'look' | 'brush'], { payment })
    say({ output, receipt, debits: chain.transfers.size })
  } catch (error) {
    if (!(error instanceof PaymentPending)) throw error
    say({ code: error.code })
  }
}
await store.close()

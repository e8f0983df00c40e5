import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '../../mcp/kernel/error.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { openPurse, toKey } from './purse-world.ts'

/** Makes one call for a person and says how it went; with `stop` it stays in the handler until it is killed. */
const [dir = '', account = '', stop = ''] = process.argv.slice(2)
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)
const { PURSE_DATABASE: url, PURSE_SCHEMA: schema = '', PURSE_LATER_MS: later = '0' } = process.env
const store = url ? await openPostgres({ url, schema }) : await openEmbedded({ dir: join(dir, 'store') })
const clock = () => new Date(Date.parse('2026-11-23T12:00:00Z') + Number(later))
const purse = await openPurse({ store, clock, hmacKey: Buffer.alloc(32, 7) })
if (stop) {
  await purse.topUp(account, 100_000n)
  await purse.setLimits('grant', { account, per_day: '0.10' })
  purse.knobs.wait = new Promise(() => setInterval(() => undefined, 1000))
  purse.knobs.enter = () => say({ here: true })
}
await purse.gate.reconcile()
const before = await purse.balance(account)
try {
  await purse.ask(purse.dime, toKey(account, 'grant'))
  say({ before, after: await purse.balance(account), spent: await purse.spentToday('grant') })
} catch (error) {
  if (!(error instanceof ToolError)) throw error
  say({ before, reason: error.extra.reason ?? error.code })
}
await store.close()

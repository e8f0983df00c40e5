import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { dealsIn } from '../../../mcp/services/broker/deal.ts'
import { listingsIn } from '../../../mcp/services/broker/listing.ts'
import { loadCredits } from '../../../mcp/services/broker/money.ts'
import { threadsIn } from '../../../mcp/services/broker/thread.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { compile } from '../../store/compiled.ts'
import { sample } from '../../stress.ts'

const program = compile('../services/broker/kill-child')

type Line = { poster: string; negotiator: string; listing: string; thread: string }

/** Lets a process seal deals and kills it with -9 some milliseconds after it began its `count`th. */
const killed = async (dir: string, count: number, ms: number): Promise<Line[]> => {
  const child = spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: Line[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(text) as Line)
    if (lines.length === count) setTimeout(() => child.kill('SIGKILL'), ms)
  }
  return lines
}

test.each(sample([0, 1, 2, 3, 5, 8], 3))(
  'killed with -9 %i ms into a sealing, it is sealed whole or not at all',
  async ms => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-broker-'))
    const lines = await killed(dir, 4 + ms, ms)
    const store = await openEmbedded({ dir })
    const ledger = openLedger()
    for (const { poster, negotiator, listing, thread } of lines) {
      const found = await threadsIn(store).get(thread)
      const [deal] = (await dealsIn(store).find({ index: 'poster', where: { poster } })).rows
      const isSealed = found?.state === 'finalized'
      expect((await listingsIn(store).get(listing))?.state).toBe(isSealed ? 'closed' : 'live')
      expect(deal?.id).toBe(isSealed ? found.deal : undefined)
      expect(await loadCredits(store, ledger, poster)).toEqual({
        total: isSealed ? 0 : 2000,
        held: 0,
        available: isSealed ? 0 : 2000,
      })
      expect(await loadCredits(store, ledger, negotiator)).toEqual({
        total: isSealed ? 0 : 2000,
        held: isSealed ? 0 : 2000,
        available: 0,
      })
    }
    await store.close()
    await rm(dir, { recursive: true, force: true })
  },
  60_000,
)

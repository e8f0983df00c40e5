import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openEntries } from '../../mcp/payment/ledger/rows.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { compile } from '../store/compiled.ts'
import { runs } from '../stress.ts'

const kills = runs(10, 3)

const program = compile('../payment/ledger-child')

/** Lets a seller work until it has sold so much, then kills it. Returns what it acknowledged in whole lines. */
const sellAndDie = async (dir: string, life: number): Promise<string[]> => {
  const child = spawn(process.execPath, [program, dir, String(life)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  const sales: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^sale-\d+-\d-\d+$/.test(line)) sales.push(line)
    if (sales.length === 40 + life * 7) setTimeout(() => child.kill('SIGKILL'), Math.random() * 20)
  }
  await exit
  expect(child.signalCode).toBe('SIGKILL')
  // The kill may cut the last line to another one that looks whole.
  return sales.slice(0, -1)
}

test(`after each of ${kills} kills under load, money and documents are there together or not at all`, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-ledger-kill-'))
  const saleIds: string[] = []
  for (let life = 0; life < kills; life += 1) {
    saleIds.push(...(await sellAndDie(dir, life)))
    const store = await openEmbedded({ dir })
    const { faults, entries, holds } = await audit(store)
    expect(faults).toEqual([])
    const sales = await store.collection('sales').count()
    expect(holds).toBe(sales)
    expect(entries).toBeGreaterThan(sales)
    for (const id of saleIds) {
      expect(await store.collection('sales').get(id)).toBeDefined()
      expect((await openEntries(store).get(id))?.postings).toHaveLength(3)
      const isCaptured = Number(id.split('-').at(-1)) % 2 === 1
      expect((await openEntries(store).get(`capture:${id}`)) !== undefined).toBe(isCaptured)
    }
    await store.close()
  }
  await rm(dir, { recursive: true, force: true })
  expect(saleIds.length).toBeGreaterThan(kills * 40)
})

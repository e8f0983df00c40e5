import { expect, onTestFinished, test, vi } from 'vitest'
import { claimKey } from '../../mcp/kernel/pipeline/idempotency.ts'
import type { Store, Tx } from '../../store/index.ts'
import { onBothEngines } from '../payment/ledger-engines.ts'
import type { Engine } from '../store/suite.ts'

type Row = { id: string; runner?: string }

const renewMs = 3_000
const leaseMs = 10_000

const open = async ({ place, name }: Engine) => {
  const { open, clean } = await place()
  const store = await open()
  onTestFinished(async () => {
    await store.close()
    await clean()
  })
  let now = new Date('2026-01-01T00:00:00Z')
  const claim = async () => {
    const claimed = await claimKey(store, 'k', {
      scope: ['fixture', 'count', 'ada'],
      client: 'ada',
      isKnown: true,
      input: {},
      now: () => now,
      runMs: 60_000,
      secret: () => false,
    })
    if ('replay' in claimed) return claimed
    onTestFinished(() => claimed.fail(new Error('over') as never).catch(() => undefined))
    return claimed
  }
  const later = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }
  return { store, claim, later, isEmbedded: name === 'embedded' }
}

const recordsIn = (store: Store) =>
  store.collection<Row>('call.idempotency', [{ name: 'until', fields: ['until'] }])

/** Makes the key that is held one of a process that was killed. */
const orphan = async (store: Store): Promise<void> => {
  const { rows } = await recordsIn(store).find({ index: 'until' })
  for (const { id } of rows) await recordsIn(store).update(id, row => ({ ...row, runner: 'another process' }))
}

const running = { code: 'conflict', message: expect.stringContaining('still running') }

const run = (tx: Tx, n: number) => tx.collection('fixture.count').put({ id: 'count', n } as Row)

onBothEngines(engine => {
  test('frees the key of a killed process with its lease, at once where no other process can run', async () => {
    const { store, claim, later, isEmbedded } = await open(engine)
    await claim()
    await orphan(store)
    if (!isEmbedded) {
      later(leaseMs - 1)
      await expect(claim()).rejects.toMatchObject({ ...running, extra: { retryAfter: 0.001 } })
      later(1)
    }
    expect(await claim()).toHaveProperty('seal')
  })

  test('seals nothing for a run whose lease somebody else has', async () => {
    const { store, claim, later } = await open(engine)
    const first = await claim()
    later(leaseMs)
    const second = await claim()
    if ('replay' in first || 'replay' in second) throw new Error('nothing was answered yet')
    const finish = ({ seal }: typeof first, n: number) =>
      store.transaction(async tx => {
        await run(tx, n)
        await seal(tx, { n }, false)
      })
    await expect(finish(first, 1)).rejects.toMatchObject(running)
    await first.fail(Object.assign(new Error('gone'), { status: 500 }) as never)
    await finish(second, 2)
    expect(await store.collection('fixture.count').get('count')).toMatchObject({ n: 2 })
    expect(await claim()).toEqual({ replay: { n: 2 } })
  })

  test('keeps the key of a call for as long as it runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { store, claim, later } = await open(engine)
    await claim()
    for (let n = 0; n < 5; n++) {
      later(renewMs)
      vi.advanceTimersByTime(renewMs)
      // What the timer wrote is there once a later write is.
      await store.transaction(tx => run(tx, n))
      await expect
        .poll(() =>
          claim().then(
            () => 'free',
            error => error.extra.retryAfter,
          ),
        )
        .toBe(5)
    }
  })
})

import { expect, test } from 'vitest'
import { verifyConsistency, verifyInclusion } from '../../../../mcp/lib/merkle-proof.ts'
import { makeSigningKey, openSign } from '../../../../mcp/ports/sign/sign.ts'
import { saveLastCheckpoint } from '../../../../mcp/services/proof/ledger/checkpoint.ts'
import { appendLeaf } from '../../../../mcp/services/proof/ledger/leaf.ts'
import { openTransparencyLog, requireCurrentKeys } from '../../../../mcp/services/proof/ledger/log.ts'
import {
  isSignedBy,
  parseCheckpointBody,
  parseNote,
} from '../../../../mcp/services/proof/proofs/verify/note.ts'
import type { Store } from '../../../../store/index.ts'
import { onBothEngines } from '../../../payment/ledger-engines.ts'

const clock = { now: () => new Date() }
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

const open = (store: Store, sign = openSign(makeSigningKey()), ledgerOrigin = 'auto') =>
  openTransparencyLog({ store, clock, sign, ledgerOrigin, reporters: [] })

const append = (store: Store, n: number) =>
  store.transaction(tx =>
    appendLeaf(tx, { type: 'verdict', verdict: 'reject', event_id: String(n) }, clock.now()),
  )

onBothEngines(engine => {
  const withStore = async (work: (store: Store) => Promise<void>) => {
    const place = await engine.place()
    const store = await place.open()
    try {
      await work(store)
    } finally {
      await store.close()
      await place.clean()
    }
  }

  test('two replicas that append at once have one log, whose checkpoints follow from each other', () =>
    withStore(async store => {
      const sign = openSign(makeSigningKey())
      const [one, other] = await Promise.all([open(store, sign), open(store, sign)])
      expect(one.origin).toBe(other.origin)
      const notes: string[] = []
      const watch = async (log: typeof one) => {
        for (let n = 0; n < 10; n++) notes.push((await log.checkpoint(log.size())).note)
      }
      const written = await Promise.all([
        ...Array.from({ length: 60 }, (_, n) => append(store, n)),
        watch(one).then(() => append(store, 1000)),
        watch(other).then(() => append(store, 1001)),
      ])
      for (const { leaf, leaf_hash } of written) {
        const [index = -1, same] = await Promise.all([one.find(leaf_hash), other.find(leaf_hash)])
        expect(index).toBe(same)
        expect(await other.leaf(index)).toBe(leaf)
        const { note } = await one.checkpoint(index + 1)
        const body = parseCheckpointBody(parseNote(note)?.text ?? '')
        if (!body) throw new Error('no checkpoint')
        const path = other.inclusion(index, body.size).map(bytes)
        expect(verifyInclusion(bytes(leaf_hash), { index, size: body.size, path, root: body.root })).toBe(
          true,
        )
        notes.push(note)
      }
      expect(one.size()).toBe(64)
      const bodies = notes.map(note => {
        const parsed = parseNote(note)
        const body = parseCheckpointBody(parsed?.text ?? '')
        expect(parsed && isSignedBy(parsed, one.key)).toBe(true)
        if (!body) throw new Error('no checkpoint')
        return body
      })
      bodies.sort((a, b) => a.size - b.size)
      for (const [n, newer] of bodies.entries()) {
        const older = bodies[n - 1] ?? newer
        const path = one.consistency(older.size, newer.size).map(bytes)
        expect(verifyConsistency(older, newer, path)).toBe(true)
      }
      one.close()
      other.close()
    }))

  test('a restart goes on from the checkpoint, under the same name', () =>
    withStore(async store => {
      const sign = openSign(makeSigningKey())
      const first = await open(store, sign)
      for (let n = 0; n < 5; n++) await append(store, n)
      const before = await first.checkpoint(7)
      first.close()
      const second = await open(store, sign)
      expect(second.origin).toBe(first.origin)
      expect([second.size(), (await second.checkpoint()).note]).toEqual([7, before.note])
      second.close()
      await expect(open(store, sign, 'ledger.example.org/another')).rejects.toThrow(
        /is named localhost\/ledger\//,
      )
    }))

  test.each([
    ['another root', { size: 4, root: '00'.repeat(32) }, /another root than the last checkpoint/],
    ['more leaves', { size: 50, root: '00'.repeat(32) }, /5 leaves of the 50/],
  ])('refuses to start where the last checkpoint has %s', (_, change, message) =>
    withStore(async store => {
      const sign = openSign(makeSigningKey())
      const log = await open(store, sign)
      await append(store, 1)
      await append(store, 2)
      const published = await log.checkpoint(4)
      await saveLastCheckpoint(store, { ...published, ...change })
      // Neither does the one that runs publish anything beside it.
      await append(store, 3)
      await expect(log.checkpoint(5)).rejects.toThrow(/does not match what it has published/)
      log.close()
      await expect(open(store, sign)).rejects.toThrow(message)
      await expect(open(store)).rejects.toThrow(message)
      expect(await store.read('proof.ledger', 0, 1000)).toHaveLength(5)
    }),
  )

  test('a new signing key is entered as leaves, and the replica that has the old one signs no more', () =>
    withStore(async store => {
      const [old, young] = [openSign(makeSigningKey()), openSign(makeSigningKey())]
      const first = await open(store, old)
      const second = await open(store, young)
      await first.sync()
      expect(first.keys()).toEqual(second.keys())
      expect(second.keys().map(({ scheme, valid_until }) => [scheme, valid_until === null])).toEqual([
        ['bip340', false],
        ['ed25519', false],
        ['bip340', true],
        ['ed25519', true],
      ])
      await expect(requireCurrentKeys(store, first.publicKeys)).rejects.toThrow(/was replaced/)
      await requireCurrentKeys(store, second.publicKeys)
      const note = parseNote((await second.checkpoint(4)).note)
      expect(note && isSignedBy(note, second.key)).toBe(true)
      first.close()
      second.close()
    }))
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashLeaf, openTree } from '../../../../mcp/lib/merkle-tree.ts'
import { makeSigningKey, openSign } from '../../../../mcp/ports/sign/sign.ts'
import { parseTilePath } from '../../../../mcp/services/proof/ledger/endpoints.ts'
import { appendLeaf } from '../../../../mcp/services/proof/ledger/leaf.ts'
import { proofsIn, signProofEvent } from '../../../../mcp/services/proof/proofs/issue.ts'
import { isSignedBy, parseNote, parseNoteKey } from '../../../../mcp/services/proof/proofs/verify/note.ts'
import { refusalOf, startProof } from '../run.ts'

let proof: Awaited<ReturnType<typeof startProof>>
beforeAll(async () => {
  proof = await startProof()
  for (let n = 0; n < 600; n++)
    await appendLeaf(
      proof.store,
      { type: 'verdict', verdict: n % 2 ? 'reject' : 'approve', event_id: `v${n}` },
      new Date(),
    )
  await proof.log.sync()
})
afterAll(() => proof.stop())

const read = async (path: string) => {
  const response = await fetch(proof.url + path)
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

test('a monitor rebuilds the tree from tiles of entries alone, and meets checkpoint and tiles of hashes', async () => {
  const checkpoint = (await read('/ledger/checkpoint')).bytes.toString()
  expect((await read('/checkpoint')).bytes.toString()).toBe(checkpoint)
  const [, size, root] = checkpoint.split('\n')
  const tree = openTree()
  for (const path of ['/tile/entries/000', '/tile/entries/001', '/ledger/tile/entries/002.p/90']) {
    const { bytes, status, headers } = await read(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt16BE(at)
      tree.append(hashLeaf(bytes.subarray(at + 2, at + 2 + length)))
      at += 2 + length
    }
  }
  expect([String(tree.size()), tree.root(tree.size()).toString('base64')]).toEqual([size, root])
  expect((await read('/tile/0/001')).bytes).toEqual(tree.hashes(0, 256, 512))
  expect((await read('/tile/0/002.p/90')).bytes).toEqual(tree.hashes(0, 512, 602))
  expect((await read('/tile/1/000.p/2')).bytes).toEqual(tree.hashes(8, 0, 2))
  expect((await read('/tile/0/000')).headers.get('cache-control')).toMatch(/immutable/)
})

test.each([
  '/tile/0/003',
  '/tile/0/002',
  '/tile/0/002.p/91',
  '/tile/0/2',
  '/tile/0/x000/001',
  '/tile/0/000.p/0',
])('%s is no tile', async path => expect((await read(path)).status).toBe(404))

test.each([
  [['0', '067'], { level: 0, index: 67, width: 256 }],
  [['2', 'x001', '067'], { level: 2, index: 1067, width: 256 }],
  [['entries', 'x001', 'x234', '067.p', '8'], { level: 'entries', index: 1_234_067, width: 8 }],
  [['0', '067.p', '256'], undefined],
  [['7', '067'], undefined],
  [['0', '1067'], undefined],
  [['0', '001', '067'], undefined],
  [['0'], undefined],
])('the tile path %j', (segments, tile) => expect(parseTilePath(segments)).toEqual(tile))

describe('the tools', () => {
  test('list entries from the newest, and from any number', async () => {
    const newest = (await proof.ask('read_ledger', { limit: 3 })) as {
      size: number
      entries: { index: number }[]
    }
    expect(newest.entries.map(({ index }) => index)).toEqual([601, 600, 599])
    const oldest = (await proof.ask('read_ledger', { offset: '0', limit: '3' })) as typeof newest
    expect(oldest.entries).toMatchObject([
      { index: 0, type: 'key' },
      { index: 1 },
      { index: 2, verdict: 'approve' },
    ])
    expect(await proof.ask('read_ledger', { offset: 9999 })).toMatchObject({ entries: [] })
  })

  test('sign the checkpoint with the key that they name', async () => {
    const { checkpoint, key } = (await proof.ask('read_ledger', {})) as { checkpoint: string; key: string }
    const [note, noteKey] = [parseNote(checkpoint), parseNoteKey(key)]
    expect(note && noteKey && isSignedBy(note, noteKey)).toBe(true)
    expect(note && isSignedBy({ ...note, text: note.text.replace('602', '603') }, noteKey as never)).toBe(
      false,
    )
  })

  test('prove an entry to any size that has it', async () => {
    for (const size of [undefined, 12, 300]) {
      const answer = await proof.ask('get_ledger_entry', { index: 11, ...(size && { size }) })
      expect(answer.inclusion).toMatchObject({ size: size ?? 602 })
    }
    for (const input of [
      { index: 11, size: 11 },
      { index: 11, size: 9999 },
    ])
      expect((await refusalOf(proof.ask('get_ledger_entry', input))).code).toBe('invalid_input')
    expect((await refusalOf(proof.ask('get_ledger_entry', { index: 602 }))).code).toBe('not_found')
    expect((await refusalOf(proof.ask('get_ledger_entry', { index: -1 }))).code).toBe('invalid_input')
    for (const input of [
      { from: 5, to: 4 },
      { from: 0, to: 9999 },
    ])
      expect((await refusalOf(proof.ask('check_ledger_consistency', input))).code).toBe('invalid_input')
  })

  test('give the exact bytes of an entry', async () => {
    const { bytes, headers } = await read('/ledger/11/canonical')
    expect(headers.get('x-expected-sha256')).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect((await proof.ask('get_ledger_entry', { index: 11 })).leaf).toBe(bytes.toString())
    for (const index of ['602', '-1', '01', 'x'])
      expect((await read(`/ledger/${index}/canonical`)).status).toBe(404)
  })
})

describe('submit_to_ledger', () => {
  const stranger = openSign(makeSigningKey())
  const at = (ms = 0) => ({ now: () => new Date(Date.now() + ms) })
  const outcome = (proof_id: string, word: string, clock = at(), sign = stranger) =>
    signProofEvent(
      { sign, clock },
      {
        kind: 30_078,
        tags: [
          ['d', `outcome-${proof_id}`],
          ['schema', 'octagent.outcome.v1'],
        ],
        content: JSON.stringify({ proof_id, outcome: word }),
      },
    )

  /** A verdict as review enters one. */
  const verdictOf = async (id: string, verdict: string) => {
    const { leaf_hash } = await appendLeaf(
      proof.store,
      { type: 'verdict', verdict, event_id: id },
      new Date(),
    )
    const event = await signProofEvent(
      { sign: proof.sign, clock: at() },
      { kind: 30_078, tags: [], content: id },
    )
    await proofsIn(proof.store).put({ id, event, schema: 'octagent.verdict_proof.v1', leaf_hash })
    return id
  }
  const statistics = async () =>
    ((await proof.ask('read_ledger', {})) as { statistics: Record<string, unknown> }).statistics

  test('counts outcomes of reporters that count, the last of each verdict, and those of strangers apart', async () => {
    const rejected = await verdictOf('a'.repeat(64), 'reject')
    const other = await verdictOf('b'.repeat(64), 'reject')
    const approved = await verdictOf('c'.repeat(64), 'approve')
    const report = async (id: string, word: string, sign?: typeof stranger, ms = 0) =>
      proof.buy('submit_to_ledger', { event: await outcome(id, word, at(ms), sign) })
    await report(rejected, 'harmful', proof.sign)
    await report(other, 'harmful', proof.sign)
    await report(other, 'harmless', proof.sign, -5000)
    await report(approved, 'harmless', proof.sign)
    await report(approved, 'harmful')
    expect(await statistics()).toMatchObject({
      outcomes: { rejected: { harmful: 1, harmless: 1 }, approved: { harmful: 0, harmless: 1 } },
      reject_precision: 0.5,
      approve_miss_rate: 0,
      uncounted_reports: 1,
    })
  })

  test('refuses before any charge what is forged, twice, from the future, or about nothing', async () => {
    const before = proof.chain.transfers.size
    const event = await outcome('d'.repeat(64), 'harmful')
    const submission = await signProofEvent(
      { sign: stranger, clock: at() },
      { kind: 1, tags: [], content: 'hello' },
    )
    const refusal = async (value: object) => refusalOf(proof.buy('submit_to_ledger', { event: value }))
    expect((await refusal(event)).code).toBe('not_found')
    expect((await refusal({ ...submission, content: 'bye' })).message).toMatch(/^event\.id/)
    expect((await refusal({ ...submission, sig: event.sig })).message).toMatch(/^event\.sig/)
    const future = await signProofEvent({ sign: stranger, clock: at(3_600_000) }, submission)
    expect((await refusal(future)).message).toMatch(/^event\.created_at/)
    expect((await refusal(await outcome('d'.repeat(64), 'bad'))).message).toMatch(/^event\.content/)
    const nul = await signProofEvent({ sign: stranger, clock: at() }, { ...submission, content: '\u0000' })
    expect((await refusal(nul)).code).toBe('invalid_input')
    expect(proof.chain.transfers.size).toBe(before)
    await proof.buy('submit_to_ledger', { event: submission })
    expect((await refusal(submission)).extra.reason).toBe('already_entered')
    expect(proof.chain.transfers.size).toBe(before + 1)
  })
})

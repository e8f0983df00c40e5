import { createHash, generateKeyPairSync, randomBytes, sign as signBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyConsistency } from '../../../../mcp/lib/merkle-proof.ts'
import { emptyRoot } from '../../../../mcp/lib/merkle-tree.ts'
import { BadTimestamp, listAttestations, parseOts } from '../../../../mcp/lib/opentimestamps.ts'
import { openSockets } from '../../../../mcp/ports/sockets/sockets.ts'
import { anchorsIn } from '../../../../mcp/services/proof/anchors/anchor.ts'
import { stampCheckpoints, upgradeStamps } from '../../../../mcp/services/proof/anchors/bitcoin.ts'
import { announceCheckpoints, publishEvents } from '../../../../mcp/services/proof/anchors/nostr.ts'
import { proofSettings } from '../../../../mcp/services/proof/config.ts'
import { askWitnesses } from '../../../../mcp/services/proof/ledger/witnesses.ts'
import { publicationsIn } from '../../../../mcp/services/proof/proofs/publication.ts'
import {
  cosignedText,
  formatSignature,
  isSignedBy,
  noteAlgorithms,
  parseCheckpointBody,
  parseNote,
} from '../../../../mcp/services/proof/proofs/verify/note.ts'
import { startInternet } from '../../../internet/internet.ts'
import { startRelay } from '../relay.ts'
import { startProof } from '../run.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

let relay: Awaited<ReturnType<typeof startRelay>>
let internet: Awaited<ReturnType<typeof startInternet>>
let proof: Awaited<ReturnType<typeof startProof>>
beforeEach(async () => {
  relay = await startRelay()
  closing.push(relay.stop)
  internet = await startInternet()
  closing.push(internet.stop)
  proof = await startProof({ settings: [[proofSettings.relays, [relay.url]]] })
  closing.push(proof.stop)
})

const { signal } = new AbortController()
const context = () => ({ ...proof, transparencyLog: proof.log, clock: { now: () => new Date() }, signal })

const body = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe('relays', () => {
  const publish = () => {
    const sockets = openSockets()
    closing.push(sockets.close)
    return publishEvents.run({ ...context(), sockets, relays: [relay.url] })
  }

  test('get the checkpoint once, and proofs of those who want it', async () => {
    const { proof_id, nostr } = await proof.buy('witness', { source: 'a', body: 'x', nostr_publish: true })
    expect(nostr).toBe('queued')
    expect((await proof.buy('witness', { source: 'a', body: 'y' })).nostr).toBe('not_asked')
    await announceCheckpoints.run({ ...context(), relays: [relay.url] })
    await announceCheckpoints.run({ ...context(), relays: [relay.url] })
    expect((await proof.ask('read_ledger', {})).anchors).toMatchObject([{ kind: 'nostr', state: 'pending' }])
    await publish()
    expect(relay.events.size).toBe(2)
    expect([...relay.events.keys()]).toContain(proof_id)
    expect((await proof.ask('read_ledger', {})).anchors).toMatchObject([
      { kind: 'nostr', state: 'anchored', size: 4, relays: [relay.url] },
    ])
  })

  test.each([
    ['refuses for good', (id: string) => ['OK', id, false, 'blocked: no'], 'failed'],
    ['is busy', (id: string) => ['OK', id, false, 'rate-limited: later'], 'queued'],
    ['speaks of another event first', (id: string) => ['OK', `${id}0`, true, ''], 'queued'],
  ])('that %s is taken at its word', async (_, reply, state) => {
    const { proof_id } = await proof.buy('witness', { source: 'a', body: 'x', nostr_publish: true })
    relay.reply = reply
    const sockets = openSockets()
    closing.push(sockets.close)
    const leave = new AbortController()
    const running = publishEvents.run({ ...context(), sockets, relays: [relay.url], signal: leave.signal })
    if (state === 'queued' && reply('x')[1] !== 'x') setTimeout(() => leave.abort(), 500)
    await running
    expect(await publicationsIn(proof.store).get(String(proof_id))).toMatchObject({ state, accepted: [] })
  })
})

describe('calendars', () => {
  const varbytes = (bytes: Buffer) => Buffer.concat([Buffer.of(bytes.length), bytes])
  const name = 'calendar.example.com'
  const url = `http://${name}`
  let isConfirmed: boolean
  let answer: ((message: Buffer) => Buffer) | undefined
  let taken: Map<string, Buffer>

  const pending = (at: string) => {
    const tag = Buffer.from('83dfe30d2ef90c8e', 'hex')
    return Buffer.concat([Buffer.of(0), tag, varbytes(varbytes(Buffer.from(at)))])
  }

  beforeEach(() => {
    isConfirmed = false
    answer = undefined
    taken = new Map()
    internet.web.site(name, '/digest', async (request, response) => {
      const message = await body(request)
      const hmac = randomBytes(8)
      const digest = createHash('sha256').update(message).digest()
      taken.set(Buffer.concat([digest, hmac]).toString('hex'), message)
      const timestamp = Buffer.concat([Buffer.from([0x08, 0xf0]), varbytes(hmac), pending(url)])
      response.end(answer?.(message) ?? timestamp)
    })
    internet.web.site(name, '*', (request, response) => {
      const message = request.url?.split('/').at(-1) ?? ''
      if (!isConfirmed || !taken.has(message)) return void response.writeHead(404).end('Pending')
      const height = Buffer.from([0xc3, 0xf8, 0x36])
      response.end(
        Buffer.concat([
          Buffer.of(0xf1),
          varbytes(randomBytes(32)),
          Buffer.from([0x08, 0x08, 0x00]),
          Buffer.from('0588960d73d71901', 'hex'),
          varbytes(height),
        ]),
      )
    })
  })

  const stampNow = (calendars = [url]) =>
    stampCheckpoints.run({ ...context(), fetch: internet.ports().fetch, calendars })
  const upgradeNow = (calendars = [url]) =>
    upgradeStamps.run({ ...context(), fetch: internet.ports().fetch, calendars })
  const anchors = async () => ((await proof.ask('read_ledger', {})) as { anchors: object[] }).anchors

  test('stamp a checkpoint once; it is pending until the proof names a block', async () => {
    await stampNow()
    await stampNow()
    expect(taken.size).toBe(1)
    await upgradeNow()
    expect(await anchors()).toMatchObject([{ kind: 'opentimestamps', state: 'pending', bitcoin_blocks: [] }])
    isConfirmed = true
    await upgradeNow()
    expect(await anchors()).toMatchObject([{ state: 'anchored', bitcoin_blocks: [900_163] }])
    const response = await fetch(`${proof.url}/ledger/1/ots`)
    const stamp = (await response.json()) as { ots: string; checkpoint: string; state: string }
    const timestamp = parseOts(Buffer.from(stamp.ots, 'base64'))
    expect(timestamp.message).toEqual(createHash('sha256').update(stamp.checkpoint).digest())
    expect(listAttestations(timestamp).map(({ attestation }) => attestation.kind)).toEqual([
      'pending',
      'bitcoin',
    ])
    expect((await fetch(`${proof.url}/ledger/2/ots`)).status).toBe(404)
  })

  test.each([
    ['nothing', () => Buffer.alloc(0)],
    ['a page', () => Buffer.from('<h1>Hello</h1>')],
    ['a number without end', () => Buffer.alloc(500, 0xff)],
    ['a tower of hashes', () => Buffer.alloc(5000, 0x08)],
    ['too much', () => Buffer.alloc(200_000, 0x08)],
    ['something more', () => Buffer.concat([pending(url), Buffer.of(0)])],
  ])('that answer with %s anchor nothing', async (_, wrong) => {
    answer = wrong
    await expect(stampNow()).rejects.toThrow(/No calendar/)
    expect(await anchors()).toEqual([])
  })

  test('that name another address are not followed there', async () => {
    answer = () => pending('http://victim.example.com')
    internet.web.site('victim.example.com', '*', { body: 'x' })
    await stampNow()
    await upgradeNow()
    expect(internet.web.visits.map(({ host }) => host)).not.toContain('victim.example.com')
    expect(await anchors()).toMatchObject([{ state: 'pending' }])
  })

  test('of which one is away leave the other', async () => {
    await stampNow(['http://away.example.com', url])
    expect(await anchors()).toHaveLength(1)
    const [row] = (await anchorsIn(proof.store).find({ index: 'created' })).rows
    const bytes = Buffer.from(row?.ots ?? '', 'base64')
    for (let length = 0; length < bytes.length; length++)
      expect(() => parseOts(bytes.subarray(0, length))).toThrow(BadTimestamp)
  })
})

describe('witnesses', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = publicKey.export({ format: 'jwk' }).x ?? ''
  const raw = new Uint8Array(Buffer.from(x, 'base64url'))
  const key = { name: 'witness.example.com', algorithm: noteAlgorithms.cosignature, publicKey: raw }
  const witness = { url: 'http://witness.example.com', key }
  let seen: { size: number; root: Uint8Array }
  let forges: boolean

  const cosign = (text: string): string => {
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(1_790_000_000n)
    const signature = signBytes(null, Buffer.from(cosignedText(text, 1_790_000_000)), privateKey)
    if (forges) signature[5] = (signature[5] ?? 0) ^ 1
    return `${formatSignature(key, new Uint8Array(Buffer.concat([time, signature])))}\n`
  }

  beforeEach(() => {
    seen = { size: 0, root: new Uint8Array(emptyRoot) }
    forges = false
    internet.web.site('witness.example.com', '/add-checkpoint', async (request, response) => {
      const text = (await body(request)).toString()
      const [head = '', ...rest] = text.split('\n\n')
      const [old = '', ...hashes] = head.split('\n')
      const note = parseNote(rest.join('\n\n'))
      const checkpoint = parseCheckpointBody(note?.text ?? '')
      if (!note || !checkpoint || !isSignedBy(note, proof.log.key)) return void response.writeHead(403).end()
      if (Number(old.split(' ')[1]) !== seen.size)
        return void response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${seen.size}\n`)
      const path = hashes.map(hash => new Uint8Array(Buffer.from(hash, 'base64')))
      if (!verifyConsistency(seen, checkpoint, path)) return void response.writeHead(422).end()
      seen = checkpoint
      response.end(cosign(note.text))
    })
  })

  const askNow = () => askWitnesses.run({ ...context(), fetch: internet.ports().fetch, witnesses: [witness] })
  const grow = (claim: string) => proof.buy('witness', { source: 'a', body: claim })
  const checkpoint = async (query = '') => (await fetch(`${proof.url}/checkpoint${query}`)).text()

  test('cosign each checkpoint from the one before, and their lines are served', async () => {
    expect((await fetch(`${proof.url}/checkpoint?cosigned=1`)).status).toBe(404)
    await askNow()
    for (const claim of ['a', 'b', 'c']) {
      await grow(claim)
      await askNow()
      const note = parseNote(await checkpoint())
      expect(note && isSignedBy(note, key) && isSignedBy(note, proof.log.key)).toBe(true)
    }
    expect(seen.size).toBe(5)
    await grow('d')
    expect(parseNote(await checkpoint())?.signatures).toHaveLength(1)
    expect(parseCheckpointBody(parseNote(await checkpoint('?cosigned=1'))?.text ?? '')?.size).toBe(5)
  })

  test('that have seen another size say it, and are asked again from there', async () => {
    await grow('a')
    seen = { size: 2, root: new Uint8Array(Buffer.from(proof.log.root(2), 'hex')) }
    await askNow()
    expect(seen.size).toBe(3)
  })

  test('that have seen another ledger, more of it, or sign wrongly, add nothing and are reported', async () => {
    seen = { size: 1, root: new Uint8Array(32) }
    await expect(askNow()).rejects.toThrow(/answers 422/)
    seen = { size: 99, root: new Uint8Array(32) }
    await expect(askNow()).rejects.toThrow(/has seen 99 entries/)
    seen = { size: 0, root: new Uint8Array(emptyRoot) }
    forges = true
    await expect(askNow()).rejects.toThrow(/no signature of its key/)
    expect(parseNote(await checkpoint())?.signatures).toHaveLength(1)
  })
})

import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { service } from '../../mcp/kernel/service.ts'
import { sats, tool } from '../../mcp/kernel/tool.ts'
import { isMadeWith, mintMacaroon, parseMacaroon } from '../../mcp/payment/dialects/l402/macaroon.ts'
import { encodeInvoice } from '../../mcp/ports/lightning/bolt11.ts'
import { payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../mcp/ports/lightning/key.ts'
import { describeJudged, loadJudge } from './judges.ts'

type Wallet = { payInvoice(order: { invoice: string }): Promise<{ preimage: string }> }
type Pay = (url: string, request: RequestInit, options: { wallet: Wallet }) => Promise<Response>
type Alby = { fetchWithL402: Pay; fetch402: Pay; fetchWithMpp: Pay }
type Decoder = { decode(text: string): { sections: { name: string; value: unknown }[] } }
type Judged = {
  addFirstPartyCaveat(caveat: string): void
  exportBinary(): Uint8Array
  verify(rootKey: Uint8Array, check: (caveat: string) => string | null, discharges: never[]): void
}
type Macaroons = {
  importMacaroon(bytes: Uint8Array): Judged
  newMacaroon(facts: { version: 2; rootKey: Uint8Array; identifier: Uint8Array; location: string }): Judged
}

let runs = 0

const reason = tool({
  name: 'reason',
  title: 'Reason',
  description: 'Thinks about a text. 100 sat.',
  input: z.object({ text: z.string().describe('What to think about') }),
  output: z.object({
    thought: z.string().describe('What came of it'),
    run: z.number().describe('Which run it was'),
  }),
  needs: [],
  price: sats('100'),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: {},
  rest: { routes: ['POST /reason'] },
  examples: [{ text: 'a' }],
}).run(async (_, { text }) => ({ thought: `So: ${text}`, run: ++runs }))

const oracle = service({
  label: 'O',
  slug: 'oracle',
  name: 'Oracle',
  description: 'Thinks for sats.',
  version: '1.0.0',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain'],
    outputModes: ['application/json'],
  },
  auth: ['public'],
  tools: [reason, { ...reason, name: 'muse', rest: { routes: ['POST /muse'] } }],
  fallback: 'reason',
})

/** Adds a caveat as a client does that knows no root key: behind the others, and the chain goes on. */
const narrow = (token: string, caveat: string): string => {
  const bytes = Buffer.from(token, 'base64')
  const signature = createHmac('sha256', bytes.subarray(-32)).update(caveat).digest()
  const packet = [Buffer.from([2, caveat.length]), Buffer.from(caveat), Buffer.from([0, 0, 6, 32]), signature]
  return Buffer.concat([bytes.subarray(0, -35), ...packet]).toString('base64')
}

describeJudged('clients', 'what others make of Lightning here', () => {
  let dir: string
  let url: string
  let stop: () => Promise<unknown>
  let alby: Alby
  let wallet: Wallet & { paid: string[] }
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-lightning-'))
    const config = readConfig({ PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent' }, [oracle])
    const app = await createApp({ services: [oracle], config })
    url = await app.listen()
    stop = () => app.close(true)
    alby = await loadJudge<Alby>('@getalby/lightning-tools/402')
    const paid: string[] = []
    wallet = {
      paid,
      async payInvoice({ invoice }) {
        paid.push(invoice)
        const result = payDevelopmentInvoice(invoice, await openLightningKey(dir), new Date())
        if (result.state === 'failed') throw new Error(result.detail)
        return { preimage: result.preimage }
      },
    }
  })
  afterAll(async () => {
    await stop()
    await rm(dir, { recursive: true, force: true })
  })

  const body = (text: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  const ask = (text: string) => fetch(`${url}/oracle/reason`, body(text))
  const challengeIn = (response: Response) => {
    const header = response.headers.get('www-authenticate') ?? ''
    const [, token = ''] = / token="([^"]+)"/.exec(header) ?? []
    const [, invoice = ''] = /invoice="([^"]+)"/.exec(header) ?? []
    return { header, token, invoice }
  }

  test.each(['fetchWithL402', 'fetch402'] as const)('Alby’s %s pays a call once', async name => {
    const before = { runs, paid: wallet.paid.length }
    const response = await alby[name](`${url}/oracle/reason`, body(name), { wallet })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ thought: `So: ${name}`, run: before.runs + 1 })
    expect(wallet.paid).toHaveLength(before.paid + 1)
  })

  test('Alby’s fetchWithMpp pays a call once, when it asks for its scheme alone', async () => {
    const before = { runs, paid: wallet.paid.length }
    const { headers, ...request } = body('mpp')
    const asking = { ...request, headers: { ...headers, 'accept-payment': 'lightning/charge, evm/*;q=0.1' } }
    const response = await alby.fetchWithMpp(`${url}/oracle/reason`, asking, { wallet })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ thought: 'So: mpp', run: before.runs + 1 })
    expect(wallet.paid).toHaveLength(before.paid + 1)
  })

  test('the challenge has its parameters in the order that every client reads', async () => {
    const { header } = challengeIn(await ask('order'))
    expect(header).toMatch(/^L402 macaroon="[^"]+", invoice="lnbcrt1u1[^"]+", version="0", token="[^"]+"/)
    // The patterns of aperture, before and after 2026.
    expect(header).toMatch(/(LSAT|L402) macaroon="(.*?)", invoice="(.*?)"/)
    expect(header).toMatch(/(LSAT|L402) (version="(.*?)", )?(token|macaroon)="(.*?)", invoice="(.*?)"/)
  })

  test('another decoder reads the invoice, and another library the token', async () => {
    const { decode } = await loadJudge<Decoder>('light-bolt11-decoder')
    const { token, invoice } = challengeIn(await ask('decode'))
    const sections = new Map(decode(invoice).sections.map(({ name, value }) => [name, value]))
    expect(sections.get('amount')).toBe('100000')
    expect(sections.get('description')).toBe('Reason')
    expect(sections.get('expiry')).toBe(600)
    const macaroon = parseMacaroon(token)
    expect(macaroon?.identifier.subarray(2, 34).toString('hex')).toBe(sections.get('payment_hash'))

    const { importMacaroon } = await loadJudge<Macaroons>('macaroon')
    expect(() => importMacaroon(Buffer.from(token, 'base64'))).not.toThrow()
  })

  test('chains of both libraries are the same, and a caveat that a client adds keeps a token good', async () => {
    const { importMacaroon, newMacaroon } = await loadJudge<Macaroons>('macaroon')
    const rootKey = Buffer.alloc(32, 7)
    const identifier = Buffer.from('identifier')
    const theirs = newMacaroon({ version: 2, rootKey, identifier, location: 'f' })
    theirs.addFirstPartyCaveat('services=f:0')
    const ours = mintMacaroon(rootKey, { location: 'f', identifier, caveats: [Buffer.from('services=f:0')] })
    expect(Buffer.from(theirs.exportBinary()).toString('base64')).toBe(ours)
    importMacaroon(Buffer.from(ours, 'base64')).verify(rootKey, () => null, [])
    const read = parseMacaroon(ours)
    expect(read && isMadeWith(rootKey, read)).toBe(true)
    expect(read && isMadeWith(Buffer.alloc(32, 8), read)).toBe(false)

    const { token, invoice } = challengeIn(await ask('narrow'))
    const { preimage } = await wallet.payInvoice({ invoice })
    const credential = narrow(token, `preimage=${preimage}`)
    const request = body('narrow')
    const headers = { ...request.headers, authorization: `L402 ${credential}:${preimage}` }
    expect((await fetch(`${url}/oracle/reason`, { ...request, headers })).status).toBe(200)
  })

  test('other decoders read every amount', async () => {
    const { decode } = await loadJudge<Decoder>('light-bolt11-decoder')
    for (const msat of [
      1n,
      10n,
      999n,
      1_000n,
      100_000n,
      180_000n,
      2_500_000n,
      123_456_789n,
      100_000_000_000n,
    ]) {
      const invoice = encodeInvoice({
        currency: 'bcrt',
        msat,
        paymentHash: createHash('sha256').update(String(msat)).digest(),
        paymentSecret: Buffer.alloc(32, 1),
        description: 'Ünïcode',
        expirySeconds: 86_400,
        createdAt: new Date('2026-11-22T12:00:00Z'),
        key: Buffer.alloc(32, 5),
      })
      const sections = new Map(decode(invoice).sections.map(({ name, value }) => [name, value]))
      expect(sections.get('amount')).toBe(String(msat))
      expect(sections.get('description')).toBe('Ünïcode')
    }
  })
})

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { secp256k1 } from '@noble/curves/secp256k1'
import { bech32 } from '@scure/base'
import { afterEach, describe, expect, test } from 'vitest'
import { decodeInvoice, encodeInvoice } from '../../mcp/ports/lightning/bolt11.ts'
import { openDevelopmentLightning } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningNode } from '../../mcp/ports/lightning/node.ts'
import type { NodeOptions } from '../../mcp/ports/lightning/node-options.ts'

type Seen = { path: string; headers: IncomingMessage['headers']; body: string }
type Reply = { status?: number; body: unknown }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server that answers as a node would, by path. */
const serveNode = async (replies: Record<string, (body: string) => Reply | Promise<Reply>>) => {
  const seen: Seen[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = `${req.method} ${req.url}`
    seen.push({ path, headers: req.headers, body })
    const reply = await replies[path]?.(body)
    res.statusCode = reply ? (reply.status ?? 200) : 404
    res.setHeader('content-type', 'application/json')
    res.end(typeof reply?.body === 'string' ? reply.body : JSON.stringify(reply?.body ?? {}))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  closing.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const key = async () => '33'.repeat(32)
const wallet = () => openDevelopmentLightning({ key })
const makeInvoice = async (msat: bigint, expirySeconds = 600) =>
  (await (await wallet()).createInvoice({ msat, memo: 'x', expirySeconds })).invoice

const order = { msat: 100_000n, memo: 'Reason', expirySeconds: 600 }
const preimage = 'ab'.repeat(32)

type Case = {
  name: string
  options(url: string): NodeOptions
  replies(
    invoice: () => Promise<string>,
    paid: Reply,
  ): Record<string, (body: string) => Reply | Promise<Reply>>
  credential: [string, string]
  asked: [path: string, body: unknown]
  paid: Reply
  failed: Reply
  unknown: Reply
  /** How it lists the invoices that were paid since noon: one was, one was not. */
  received: [path: string, reply: Reply]
  /** How it refuses an invoice that an earlier try is paying, and one that it has paid. */
  again?: { underWay: Reply; paid: Reply }
}

const cases: Case[] = [
  {
    name: 'LND',
    options: url => ({ kind: 'lnd', url, macaroon: 'c0ffee' }),
    replies: (invoice, paid) => ({
      'GET /v1/getinfo': () => ({ body: { identity_pubkey: '02aa' } }),
      'POST /v1/invoices': async () => ({
        body: { r_hash: 'eA==', payment_request: await invoice(), add_index: '1' },
      }),
      'POST /v1/channels/transactions': () => paid,
    }),
    credential: ['grpc-metadata-macaroon', 'c0ffee'],
    asked: ['POST /v1/invoices', { value_msat: '100000', memo: 'Reason', expiry: '600' }],
    paid: {
      body: { payment_error: '', payment_preimage: Buffer.from(preimage, 'hex').toString('base64') },
    },
    failed: { body: { payment_error: 'no_route', payment_preimage: '' } },
    unknown: { status: 500, body: { message: 'context deadline exceeded' } },
    received: [
      'GET /v1/invoices?index_offset=0&num_max_invoices=200&creation_date_start=1763985600',
      {
        body: {
          invoices: [
            { r_hash: 'q80=', state: 'SETTLED', amt_paid_msat: '100000', settle_date: '1763985660' },
            { r_hash: 'q84=', state: 'OPEN', amt_paid_msat: '0', settle_date: '0' },
          ],
          last_index_offset: '2',
        },
      },
    ],
    again: {
      underWay: { body: { payment_error: 'payment is in transition', payment_preimage: '' } },
      paid: { body: { payment_error: 'invoice is already paid', payment_preimage: '' } },
    },
  },
  {
    name: 'phoenixd',
    options: url => ({ kind: 'phoenixd', url, password: 'secret' }),
    replies: (invoice, paid) => ({
      'GET /getinfo': () => ({ body: { nodeId: '02aa', channels: [] } }),
      'POST /createinvoice': async () => ({
        body: { amountSat: 100, paymentHash: 'x', serialized: await invoice() },
      }),
      'POST /payinvoice': () => paid,
    }),
    credential: ['authorization', `Basic ${Buffer.from(':secret').toString('base64')}`],
    asked: ['POST /createinvoice', 'amountSat=100&description=Reason&expirySeconds=600'],
    paid: { body: { recipientAmountSat: 100, paymentId: '1', paymentHash: 'x', paymentPreimage: preimage } },
    failed: { body: { reason: 'recipient is offline' } },
    unknown: { status: 502, body: 'bad gateway' },
    received: [
      'GET /payments/incoming?from=1763985600000&limit=200&offset=0',
      { body: [{ paymentHash: 'abcd', receivedSat: 100, completedAt: 1763985660000, fees: 0 }] },
    ],
    again: {
      underWay: { body: { reason: 'another payment is in progress for that invoice' } },
      paid: { body: { reason: 'this invoice has already been paid' } },
    },
  },
  {
    name: 'Core Lightning',
    options: url => ({ kind: 'cln', url, rune: 'rune' }),
    replies: (invoice, paid) => ({
      'POST /v1/getinfo': () => ({ body: { id: '02aa' } }),
      'POST /v1/invoice': async () => ({ status: 201, body: { bolt11: await invoice(), payment_hash: 'x' } }),
      'POST /v1/pay': () => paid,
    }),
    credential: ['rune', 'rune'],
    asked: [
      'POST /v1/invoice',
      { amount_msat: 100_000, label: expect.any(String), description: 'Reason', expiry: 600 },
    ],
    paid: { status: 201, body: { status: 'complete', payment_preimage: preimage } },
    failed: { status: 500, body: { code: 205, message: 'Ran out of routes' } },
    unknown: { status: 500, body: { code: 200, message: 'still pending' } },
    received: [
      'POST /v1/listinvoices',
      {
        status: 201,
        body: {
          invoices: [
            {
              ...{ payment_hash: 'abcd', status: 'paid', paid_at: 1763985660 },
              ...{ amount_received_msat: 100_000, updated_index: 7 },
            },
            { payment_hash: 'abce', status: 'unpaid', updated_index: 8 },
            { payment_hash: 'abcf', status: 'paid', paid_at: 1763985599, amount_received_msat: 1 },
          ],
        },
      },
    ],
  },
]

describe.each(cases)(
  '$name',
  ({ options, replies, credential, asked, paid, failed, unknown, received, again }) => {
    const open = async (invoice = () => makeInvoice(100_000n), reply: Reply = paid) => {
      const list = { [received[0]]: () => received[1] }
      const served = await serveNode({ ...replies(invoice, reply), ...list })
      const node = await openLightningNode(options(`${served.url}/`))
      closing.push(() => node.close())
      return { node, seen: served.seen }
    }

    test('makes an invoice with its credential, and tells its hash and end', async () => {
      const { node, seen } = await open()
      expect(node.node).toBe('02aa')
      const invoice = await node.createInvoice(order)
      const { paymentHash, expiresAt } = decodeInvoice(invoice.invoice)
      expect(invoice).toMatchObject({ paymentHash, expiresAt })
      const last = seen.at(-1)
      const [path, body] = asked
      expect(last?.path).toBe(path)
      expect(typeof body === 'string' ? last?.body : JSON.parse(last?.body ?? '')).toEqual(body)
      for (const { headers } of seen) expect(headers[credential[0]]).toBe(credential[1])
    })

    test('that makes an invoice over another amount, an old one or none is not believed', async () => {
      const old = () =>
        encodeInvoice({
          currency: 'bcrt',
          msat: 100_000n,
          paymentHash: Buffer.alloc(32, 1),
          paymentSecret: Buffer.alloc(32, 2),
          description: '',
          expirySeconds: 60,
          createdAt: new Date(Date.now() - 120_000),
          key: Buffer.alloc(32, 3),
        })
      for (const invoice of [
        () => makeInvoice(1_000n),
        async () => old(),
        async () => 'lnbc1',
        async () => '',
      ]) {
        const { node } = await open(invoice)
        await expect(node.createInvoice(order)).rejects.toMatchObject({ code: 'upstream' })
      }
    })

    test('pays; what failed for good is told from what is not known', async () => {
      const invoice = await makeInvoice(100_000n)
      expect(await (await open(undefined, paid)).node.pay?.(invoice)).toEqual({ state: 'paid', preimage })
      expect(await (await open(undefined, failed)).node.pay?.(invoice)).toMatchObject({ state: 'failed' })
      const { node } = await open(undefined, unknown)
      await expect(node.pay?.(invoice)).rejects.toMatchObject({ code: 'upstream' })
    })

    test('that is away, answers HTML, or too much, is upstream, and no credential is told', async () => {
      const bodies = ['<html>', 'x'.repeat(2 << 20)]
      for (const body of bodies) {
        const { url } = await serveNode({
          'GET /v1/getinfo': () => ({ body }),
          'GET /getinfo': () => ({ body }),
          'POST /v1/getinfo': () => ({ body }),
        })
        const error = await openLightningNode(options(url)).catch((cause: unknown) => cause)
        expect(error).toMatchObject({ code: 'upstream' })
        expect(JSON.stringify(error)).not.toContain(credential[1])
      }
      await expect(openLightningNode(options('http://127.0.0.1:1'))).rejects.toMatchObject({
        code: 'upstream',
      })
    })

    test('lists the invoices that were paid', async () => {
      const { node } = await open()
      expect(await node.received?.(new Date(1763985600_000))).toEqual([
        { paymentHash: 'abcd', msat: 100_000n, at: new Date(1763985660_000) },
      ])
    })

    if (!again) return
    test('asked to pay again tells what an earlier try came to', async () => {
      const invoice = await makeInvoice(100_000n)
      const { node } = await open(undefined, again.underWay)
      await expect(node.pay?.(invoice)).rejects.toMatchObject({ code: 'upstream' })
      const other = await open(undefined, again.paid)
      expect(await other.node.pay?.(invoice)).toEqual({ state: 'paid', preimage: '' })
    })
  },
)

test('an invoice comes back as it was written, and one that was changed is refused', async () => {
  const invoice = await makeInvoice(123_456n)
  expect(decodeInvoice(invoice.toUpperCase())).toMatchObject({
    currency: 'bcrt',
    msat: 123_456n,
    description: 'x',
  })
  for (let at = 12; at < invoice.length; at += 7) {
    const other = invoice[at] === 'q' ? 'p' : 'q'
    expect(() => decodeInvoice(invoice.slice(0, at) + other + invoice.slice(at + 1))).toThrow()
  }
  for (const text of [
    '',
    'lnbc',
    'lnbcrt1',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    invoice.slice(0, 80),
  ])
    expect(() => decodeInvoice(text)).toThrow()
})

describe('an invoice that a payer must not pay is refused', () => {
  const key = Buffer.alloc(32, 7)
  type Field = [tag: number, words: number[]]

  /** An invoice over any fields, signed like a good one. */
  const sign = (fields: readonly Field[], change = (s: bigint) => s): string => {
    const prefix = 'lnbcrt1u'
    const words = [
      ...Array(7).fill(1),
      ...fields.flatMap(([tag, data]) => [tag, data.length >> 5, data.length & 31, ...data]),
    ]
    const bits = words.map(word => word.toString(2).padStart(5, '0')).join('')
    const bytes = (bits.match(/.{1,8}/g) ?? []).map(byte => Number.parseInt(byte.padEnd(8, '0'), 2))
    const hash = createHash('sha256').update(prefix).update(Uint8Array.from(bytes)).digest()
    const { r, s, recovery } = secp256k1.sign(hash, key, { lowS: true })
    const changed = change(s)
    const signature = new secp256k1.Signature(r, changed).toCompactRawBytes()
    const signed = [...signature, changed === s ? recovery : 1 - recovery]
    return bech32.encode(prefix, [...words, ...bech32.toWords(Uint8Array.from(signed))], false)
  }
  const bytes = (value: number, length = 32) => bech32.toWords(Buffer.alloc(length, value))
  const hash: Field = [1, bytes(1)]
  const secret: Field = [16, bytes(2)]
  const feature = (bit: number): Field => [
    5,
    Array.from({ length: 21 }, (_, at) => (20 - at === Math.floor(bit / 5) ? 1 << (bit % 5) : 0)),
  ]
  const node = Buffer.from(secp256k1.getPublicKey(key))

  test.each<[string, Field[]]>([
    ['one', [hash, secret]],
    ['that knows the features it needs', [hash, secret, feature(14)]],
    ['that has an unknown feature which may be ignored', [hash, secret, feature(99)]],
    ['that names its node', [hash, secret, [19, bech32.toWords(node)]]],
  ])('but not %s', (_, fields) => {
    expect(decodeInvoice(sign(fields)).node).toBe(node.toString('hex'))
  })

  test.each<[string, string, RegExp]>([
    ['without a payment secret', sign([hash]), /no payment secret/],
    ['without a payment hash', sign([secret]), /no payment hash/],
    ['with an unknown feature that is required', sign([hash, secret, feature(100)]), /needs feature 100/],
    ['of another node than it names', sign([hash, secret, [19, bytes(3, 33)]]), /another node/],
    ['with a high S', sign([hash, secret], s => secp256k1.CURVE.n - s), /high S/],
    ['in both cases', sign([hash, secret]).replace('lnbcrt', 'LNBCRT'), /both cases/],
  ])('%s', (_, invoice, fault) => {
    expect(() => decodeInvoice(invoice)).toThrow(fault)
  })
})

describe('what became of a payment', () => {
  const hash = (invoice: string) => Buffer.from(decodeInvoice(invoice).paymentHash, 'hex')
  const nodes = [
    {
      name: 'LND',
      options: (url: string): NodeOptions => ({ kind: 'lnd', url, macaroon: 'c0ffee' }),
      info: { 'GET /v1/getinfo': () => ({ body: { identity_pubkey: '02aa' } }) },
      path: (invoice: string) =>
        `GET /v2/router/track/${hash(invoice).toString('base64url')}?no_inflight_updates=true`,
      answers: {
        paid: { body: { result: { status: 'SUCCEEDED', payment_preimage: preimage } } },
        failed: { body: { result: { status: 'FAILED' } } },
        pending: { body: { result: { status: 'IN_FLIGHT' } } },
        never: { status: 404, body: { code: 5, message: "payment isn't initiated" } },
        elsewhere: { status: 404, body: { code: 5, message: 'Not Found' } },
      },
    },
    {
      name: 'phoenixd',
      options: (url: string): NodeOptions => ({ kind: 'phoenixd', url, password: 'secret' }),
      info: { 'GET /getinfo': () => ({ body: { nodeId: '02aa', channels: [] } }) },
      path: (invoice: string) => `GET /payments/outgoingbyhash/${hash(invoice).toString('hex')}`,
      answers: {
        paid: { body: { isPaid: true, preimage, completedAt: 1 } },
        failed: { body: { isPaid: false, completedAt: 1 } },
        pending: { body: { isPaid: false, completedAt: null } },
        elsewhere: { status: 404, body: 'Not found' },
      },
    },
    {
      name: 'Core Lightning',
      options: (url: string): NodeOptions => ({ kind: 'cln', url, rune: 'rune' }),
      info: { 'POST /v1/getinfo': () => ({ body: { id: '02aa' } }) },
      path: () => 'POST /v1/listpays',
      answers: {
        paid: { status: 201, body: { pays: [{ status: 'failed' }, { status: 'complete', preimage }] } },
        failed: { status: 201, body: { pays: [{ status: 'failed' }] } },
        pending: { status: 201, body: { pays: [{ status: 'failed' }, { status: 'pending' }] } },
        never: { status: 201, body: { pays: [] } },
        elsewhere: { status: 403, body: { message: 'Not permitted' } },
      },
    },
  ]

  test.each(nodes)('is told by $name, and what it does not know is not guessed', async node => {
    const invoice = await makeInvoice(100_000n)
    const find = async (reply: Reply) => {
      const { url } = await serveNode({ ...node.info, [node.path(invoice)]: () => reply })
      const opened = await openLightningNode(node.options(url))
      closing.push(() => opened.close())
      return opened.find?.(invoice).catch((error: { code: string }) => error.code)
    }
    const { paid, failed, pending, never, elsewhere } = node.answers
    expect(await find(paid)).toEqual({ state: 'paid', preimage })
    expect(await find(failed)).toMatchObject({ state: 'failed' })
    expect(await find(pending)).toBeUndefined()
    if (never) expect(await find(never)).toMatchObject({ state: 'failed' })
    expect([undefined, 'upstream']).toContain(await find(elsewhere))
  })
})

/** BOLT 11, “Please make a donation of any amount” and “Please send $3 for a cup of coffee”. */
test.each([
  [
    'lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls087fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql',
    undefined,
    'Please consider supporting this project',
  ],
  [
    'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh',
    250_000_000n,
    '1 cup coffee',
  ],
])('the examples of BOLT 11 are read', (invoice, msat, description) => {
  expect(decodeInvoice(invoice)).toMatchObject({
    currency: 'bc',
    msat,
    description,
    paymentHash: '0001020304050607080900010203040506070809000102030405060708090102',
    node: '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad',
  })
})

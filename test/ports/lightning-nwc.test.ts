import { afterEach, describe, expect, test } from 'vitest'
import { openDevelopmentLightning } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningNode } from '../../mcp/ports/lightning/node.ts'
import { NodeOptions } from '../../mcp/ports/lightning/node-options.ts'
import { openClient } from '../../mcp/ports/lightning/nwc/client.ts'
import {
  decrypt44,
  encrypt44,
  openPeerEncryption,
  paddedLength,
  toConversationKey,
} from '../../mcp/ports/lightning/nwc/encryption.ts'
import { toPublicKey } from '../../mcp/ports/lightning/nwc/event.ts'
import { openNwc } from '../../mcp/ports/lightning/nwc/nwc.ts'
import { parseConnection } from '../../mcp/ports/lightning/nwc/uri.ts'
import { openSockets } from '../../mcp/ports/sockets/sockets.ts'
import { type Answer, startWallet } from './nwc-wallet.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const preimage = 'ab'.repeat(32)
const order = { msat: 100_000n, memo: 'Reason', expirySeconds: 600 }
const node = () => openDevelopmentLightning({ key: async () => '33'.repeat(32) })

type Answers = Record<string, (params: Record<string, unknown>) => Answer | Promise<Answer>>

const open = async (answers: Answers = {}, nodeKey = '02aa') => {
  const all: Answers = {
    get_info: () => ({ result: { alias: 'w', pubkey: nodeKey, network: 'regtest' } }),
    make_invoice: async ({ amount, description, expiry }) => {
      const made = { msat: BigInt(Number(amount)), memo: String(description), expirySeconds: Number(expiry) }
      return { result: { type: 'incoming', ...(await (await node()).createInvoice(made)) } }
    },
    ...answers,
  }
  const wallet = await startWallet(({ method, params }) =>
    all[method] ? all[method](params) : { error: { code: 'NOT_IMPLEMENTED', message: `no ${method} here` } },
  )
  closing.push(wallet.stop)
  return wallet
}

const connect = async (uri: string) => {
  const opened = await openLightningNode(NodeOptions.parse({ kind: 'nwc', uri }))
  closing.push(() => opened.close())
  return opened
}

/** A client that waits a short while only. */
const connectBriefly = async (uri: string) => {
  const connection = parseConnection(uri)
  if (!connection) throw new Error('no connection')
  const sockets = openSockets()
  closing.push(() => sockets.close())
  return openNwc(connection, { sockets, now: () => new Date(), timeoutMs: 300 })
}

describe('a wallet over Nostr Wallet Connect', () => {
  test.each(['nip44_v2', 'nip04'] as const)('makes invoices and pays, by %s', async scheme => {
    const wallet = await open({ pay_invoice: () => ({ result: { preimage, fees_paid: 1 } }) })
    wallet.knobs.scheme = scheme
    const opened = await connect(wallet.uri)
    expect(opened.node).toBe('02aa')
    const { invoice, paymentHash } = await opened.createInvoice(order)
    expect([invoice, paymentHash]).toEqual([
      expect.stringMatching(/^lnbcrt1u/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ])
    expect(await opened.pay?.(invoice)).toEqual({ state: 'paid', preimage })
    expect(wallet.requests.map(request => [request.method, request.scheme])).toEqual([
      ['get_info', scheme],
      ['make_invoice', scheme],
      ['pay_invoice', scheme],
    ])
    expect(wallet.requests[1]?.params).toEqual({ amount: 100_000, description: 'Reason', expiry: 600 })
  })

  test('that tells nothing of itself is named by its key', async () => {
    const wallet = await open({ get_info: () => ({ error: { code: 'RESTRICTED', message: 'no' } }) })
    expect((await connect(wallet.uri)).node).toBe(wallet.wallet)
  })

  test.each(['INSUFFICIENT_BALANCE', 'QUOTA_EXCEEDED', 'PAYMENT_FAILED'])(
    'that says %s has paid nothing',
    async code => {
      const wallet = await open({ pay_invoice: () => ({ error: { code, message: 'not this time' } }) })
      expect(await (await connect(wallet.uri)).pay?.('lnbcrt1')).toEqual({
        state: 'failed',
        detail: 'not this time',
      })
    },
  )

  test('that fails because it has paid before says so', async () => {
    const wallet = await open({
      pay_invoice: () => ({ error: { code: 'PAYMENT_FAILED', message: 'already paid' } }),
      lookup_invoice: () => ({ result: { state: 'settled', preimage } }),
    })
    expect(await (await connect(wallet.uri)).pay?.('lnbcrt1')).toEqual({ state: 'paid', preimage })
  })

  test.each(['PAYMENT_FAILED', 'INSUFFICIENT_BALANCE'])(
    '%s is no failure while an earlier try is under way',
    async code => {
      const wallet = await open({
        pay_invoice: () => ({ error: { code, message: 'not again' } }),
        lookup_invoice: () => ({ result: { state: 'pending' } }),
      })
      await expect((await connect(wallet.uri)).pay?.('lnbcrt1')).rejects.toMatchObject({ code: 'upstream' })
    },
  )

  test.each(['OTHER', 'INTERNAL'])('that says %s leaves it open', async code => {
    const wallet = await open({ pay_invoice: () => ({ error: { code, message: 'hm' } }) })
    await expect((await connect(wallet.uri)).pay?.('lnbcrt1')).rejects.toMatchObject({ code: 'upstream' })
  })

  test('that keeps silent leaves it open', async () => {
    const wallet = await open({ pay_invoice: () => undefined })
    await expect((await connectBriefly(wallet.uri)).pay('lnbcrt1')).rejects.toThrow('does not answer')
  })

  test('that makes an invoice over another amount is not believed', async () => {
    const wallet = await open({
      make_invoice: async () => ({ result: await (await node()).createInvoice({ ...order, msat: 1000n }) }),
    })
    await expect((await connect(wallet.uri)).createInvoice(order)).rejects.toMatchObject({ code: 'upstream' })
  })

  test('is not taken from a stranger, nor with a changed signature, nor for another request', async () => {
    const wallet = await open({ pay_invoice: () => ({ result: { preimage } }) })
    const changes: (typeof wallet.knobs.change)[] = [
      event => ({ ...event, sig: `${event.sig.slice(0, -2)}00` }),
      event => ({ ...event, content: `${event.content}A` }),
      event => ({ ...event, pubkey: toPublicKey('77'.repeat(32)) }),
    ]
    for (const change of changes) {
      const opened = await connectBriefly(wallet.uri)
      wallet.knobs.change = change
      await expect(opened.pay('lnbcrt1')).rejects.toThrow()
      wallet.knobs.change = event => event
    }
  })

  test('is asked again over a new connection after the relay broke off', async () => {
    const wallet = await open()
    const opened = await connect(wallet.uri)
    await opened.createInvoice(order)
    wallet.breakOff()
    await new Promise(resolve => setTimeout(resolve, 50))
    expect((await opened.createInvoice(order)).invoice).toMatch(/^lnbcrt/)
  })

  test('behind a relay that refuses is upstream, and its secret is told nowhere', async () => {
    const wallet = await open()
    wallet.knobs.accepts = false
    const secret = parseConnection(wallet.uri)?.secret ?? ''
    const opened = await connect(wallet.uri)
    const error: unknown = await opened.createInvoice(order).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'upstream' })
    expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain(secret)
  })

  test('that nobody answers for is upstream', async () => {
    const secret = '11'.repeat(32)
    const connection = { wallet: toPublicKey('22'.repeat(32)), relay: 'ws://127.0.0.1:9', secret }
    const sockets = openSockets()
    closing.push(() => sockets.close())
    const client = openClient(connection, { sockets, now: () => new Date(), timeoutMs: 100 })
    await expect(client.ask('get_info', {})).rejects.toThrow('does not answer')
  })
})

describe('an address of a wallet', () => {
  const key = 'a'.repeat(64)
  test.each([
    'https://example.org',
    `nostr+walletconnect://${key}?relay=ws://r.example`,
    `nostr+walletconnect://${key}?relay=https://r.example&secret=${key}`,
    `nostr+walletconnect://${key.slice(1)}?relay=wss://r.example&secret=${key}`,
    'nostr+walletconnect://',
  ])('that is none is refused: %s', uri => {
    expect(NodeOptions.safeParse({ kind: 'nwc', uri }).success).toBe(false)
  })
})

describe('NIP-44', () => {
  test('has the keys and the bytes of the published vectors', () => {
    const secret = '315e59ff51cb9209768cf7da80791ddcaae56ac9775eb25b6dee1234bc5d2268'
    const peer = 'c2f9d9948dc8c7c38321e4b85c8558872eafa0641cd269db76848a6073e69133'
    expect(toConversationKey(secret, peer).toString('hex')).toBe(
      '3dfef0ce2a4d80a25e7a328accf73448ef67096f65f79588e358d9a0eb9013f1',
    )
    const key = toConversationKey(`${'0'.repeat(63)}1`, toPublicKey(`${'0'.repeat(63)}2`))
    expect(key.toString('hex')).toBe('c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d')
    const nonce = Buffer.from(`${'0'.repeat(63)}1`, 'hex')
    const payload =
      'AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABee0G5VSK0/9YypIObAtDKfYEAjD35uVkHyB0F4DwrcNaCXlCWZKaArsGrY6M9wnuTMxWfp1RTN9Xga8no+kF5Vsb'
    expect(encrypt44('a', key, nonce)).toBe(payload)
    expect(decrypt44(payload, key)).toBe('a')
  })

  test.each([
    [16, 32],
    [32, 32],
    [33, 64],
    [64, 64],
    [65, 96],
    [111, 128],
    [200, 224],
    [250, 256],
    [320, 320],
    [383, 384],
    [400, 448],
    [515, 640],
    [900, 1024],
    [65_535, 65_536],
  ])('pads %d bytes to %d', (length, padded) => {
    expect(paddedLength(length)).toBe(padded)
  })

  test('refuses what was changed, cut off, or written by somebody else', () => {
    const { encrypt, decrypt } = openPeerEncryption('11'.repeat(32), toPublicKey('22'.repeat(32)))
    const text = encrypt('pay', 'nip44_v2')
    expect(decrypt(text)).toBe('pay')
    const bytes = Buffer.from(text, 'base64')
    bytes[40] = (bytes[40] ?? 0) ^ 1
    for (const bad of [bytes.toString('base64'), text.slice(0, 40), '', 'x?iv=y'])
      expect(() => decrypt(bad)).toThrow()
    const stranger = openPeerEncryption('33'.repeat(32), toPublicKey('22'.repeat(32)))
    expect(() => stranger.decrypt(text)).toThrow()
  })
})

import { createHmac, randomBytes } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import { type DecodedInvoice, decodeInvoice, encodeInvoice } from './bolt11.ts'
import type { LightningNode, PayResult } from './lightning.ts'
import { toPaymentHash } from './preimage.ts'

const currency = 'bcrt'

type Options = {
  /** 32 bytes, hex: signs the invoices of the node, and whoever has it can pay them. */
  key: () => Promise<string>
  now?: () => Date
}

/** The preimage of an invoice of a development node. It is derived, so that node and wallet need no book between them. */
const derivePreimage = (key: string, paymentSecret: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update('preimage').update(paymentSecret).digest('hex')

const whyNot = (invoice: DecodedInvoice, key: string, now: Date): string | undefined => {
  const node = Buffer.from(secp256k1.getPublicKey(key, true)).toString('hex')
  if (invoice.currency !== currency || invoice.node !== node)
    return 'it is no invoice of this development node'
  if (invoice.expiresAt <= now) return 'the invoice is expired'
  return undefined
}

/**
 * The wallet that pays invoices of a development node: it needs the node's key, and moves nothing. Resolves to the preimage;
 * `failed` for an invoice of any other node, or an old one.
 */
export const payDevelopmentInvoice = (text: string, key: string, now: Date): PayResult => {
  let invoice: DecodedInvoice
  try {
    invoice = decodeInvoice(text)
  } catch (error) {
    return { state: 'failed', detail: error instanceof Error ? error.message : 'it is no Lightning invoice' }
  }
  const detail = whyNot(invoice, key, now)
  if (detail !== undefined) return { state: 'failed', detail }
  const preimage = derivePreimage(key, invoice.paymentSecret)
  if (toPaymentHash(preimage) !== invoice.paymentHash)
    return { state: 'failed', detail: 'it is no invoice of this development node' }
  return { state: 'paid', preimage }
}

/**
 * A Lightning node for development: real `lnbcrt` invoices and preimages, and no channels. No wallet of a real network pays
 * them, and they are worth nothing.
 */
export const openDevelopmentLightning = async ({
  key,
  now = () => new Date(),
}: Options): Promise<LightningNode> => {
  const secret = await key()
  return {
    node: Buffer.from(secp256k1.getPublicKey(secret, true)).toString('hex'),
    async createInvoice({ msat, memo, expirySeconds }) {
      const paymentSecret = randomBytes(32)
      const preimage = derivePreimage(secret, paymentSecret.toString('hex'))
      const paymentHash = toPaymentHash(preimage) ?? ''
      const createdAt = new Date(Math.floor(now().getTime() / 1000) * 1000)
      const invoice = encodeInvoice({
        currency,
        msat,
        paymentHash: Buffer.from(paymentHash, 'hex'),
        paymentSecret,
        description: memo,
        expirySeconds,
        createdAt,
        key: Buffer.from(secret, 'hex'),
      })
      return { invoice, paymentHash, expiresAt: new Date(createdAt.getTime() + expirySeconds * 1000) }
    },
    pay: async invoice => payDevelopmentInvoice(invoice, secret, now()),
    find: async invoice => payDevelopmentInvoice(invoice, secret, now()),
    paysItself: true,
    close: async () => undefined,
  }
}

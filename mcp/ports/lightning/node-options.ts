import { z } from 'zod'
import { parseConnection } from './nwc/uri.ts'

const common = {
  url: z.url({ protocol: /^https?$/ }).describe('Address of its REST API'),
  ca: z.string().startsWith('-----BEGIN CERTIFICATE-----').optional().describe('Its own certificate, PEM'),
}

/**
 * How a node is reached: LND with a macaroon, phoenixd with its password, Core Lightning with a rune, any wallet by the address that it
 * gives out for Nostr Wallet Connect.
 */
export const NodeOptions = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('lnd'), ...common, macaroon: z.string().regex(/^([0-9a-f]{2})+$/i) }),
  z.strictObject({ kind: z.literal('phoenixd'), ...common, password: z.string().min(1) }),
  z.strictObject({ kind: z.literal('cln'), ...common, rune: z.string().min(1) }),
  z.strictObject({
    kind: z.literal('nwc'),
    uri: z.string().transform((text, context) => {
      const connection = parseConnection(text)
      if (connection) return connection
      context.addIssue({ code: 'custom', message: 'an address nostr+walletconnect://<key>?relay=…&secret=…' })
      return z.NEVER
    }),
  }),
])
export type NodeOptions = z.output<typeof NodeOptions>

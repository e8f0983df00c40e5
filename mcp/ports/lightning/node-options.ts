import { z } from 'zod'

const common = {
  url: z.url({ protocol: /^https?$/ }).describe('Address of its REST API'),
  ca: z.string().startsWith('-----BEGIN CERTIFICATE-----').optional().describe('Its own certificate, PEM'),
}

/** How a node is reached: LND with a macaroon, phoenixd with its password, Core Lightning with a rune. */
export const NodeOptions = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('lnd'), ...common, macaroon: z.string().regex(/^([0-9a-f]{2})+$/i) }),
  z.strictObject({ kind: z.literal('phoenixd'), ...common, password: z.string().min(1) }),
  z.strictObject({ kind: z.literal('cln'), ...common, rune: z.string().min(1) }),
])
export type NodeOptions = z.output<typeof NodeOptions>

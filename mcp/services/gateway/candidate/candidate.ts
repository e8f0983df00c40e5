import { z } from 'zod'

const sources = ['members', 'a2a_registry', 'mcp_registry', 'x402_bazaar', 'address'] as const

/** Somebody who might do the work, in one shape whatever source named it. Names are what strangers say of themselves. */
export const Candidate = z.object({
  identifier: z.string().describe('What to send as candidate_identifier'),
  source: z.enum(sources).describe('Who named it; only members joined here'),
  name: z.string().describe('Its name'),
  external_id: z.string().nullable().describe('The id that a member gave itself; null for others'),
  description: z.string().nullable().describe('What it says of itself'),
  agent_card_url: z.string().nullable().describe('Where its agent card should be'),
  interaction_url: z.string().nullable().describe('Where it is called'),
  protocol: z.enum(['a2a', 'mcp', 'x402']).nullable().describe('How it is called'),
  protocol_version: z.string().nullable().describe('Version of the protocol'),
  capabilities: z.array(z.string()).describe('What it declares to do'),
  membership: z.boolean().describe('True for members of this gateway only'),
  state: z.enum(['active', 'deprecated', 'deleted', 'unknown']).describe('What its source says of its state'),
  pay_to: z.string().nullable().describe('Payee that the source names'),
  price: z
    .object({
      amount: z.string().describe('Decimal amount'),
      currency: z.string().describe('Currency'),
      network: z.string().nullable().describe('Where it is paid'),
    })
    .nullable()
    .describe('Price that the source names; null when unknown'),
  terms_url: z.string().nullable().describe('Terms or licence it refers to'),
  provenance: z
    .object({
      url: z.string().describe('Where it was read'),
      observed_at: z.iso.datetime().describe('When it was read, UTC'),
      digest: z.string().nullable().describe('sha256: of what was read'),
    })
    .describe('Where this entry comes from'),
})

export type Candidate = z.output<typeof Candidate>

import { z } from 'zod'
import { proofSources } from './verify/proof.ts'

/** A signed event in the output of a tool (NIP-01). */
export const EventOutput = z
  .object({
    id: z.string().describe('SHA-256 of the event as NIP-01 writes it'),
    pubkey: z.string().describe('Key of the signer, x-only, hexadecimal'),
    created_at: z.number().int().describe('Unix seconds'),
    kind: z.number().int().describe('30078'),
    tags: z.array(z.array(z.string())).describe('Tags of Nostr'),
    content: z.string().describe('What is proven: canonical JSON (RFC 8785)'),
    sig: z.string().describe('BIP-340 signature over the id, hexadecimal'),
  })
  .describe('The proof: a Nostr event, which anybody verifies without this service')

/** Output of every tool that issues a proof. */
export const proofOutput = {
  proof_id: z.string().describe('Id of the proof: that of its event'),
  event: EventOutput,
  leaf_hash: z.string().describe('Hash of its leaf in the ledger (RFC 9162)'),
  proof_url: z.string().describe('Where the proof is with its way into the ledger, as a file to keep'),
}

/** The signed field that tells what the issuer saw from what it was told. */
export const ProofSourceOutput = z
  .enum(proofSources)
  .describe('observed: this service did or saw it itself; declared: it has only the word of the caller')

export const ProofId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 lower-case hexadecimal digits' })

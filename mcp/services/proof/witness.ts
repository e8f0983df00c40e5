import { createHash } from 'node:crypto'
import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { proofSettings } from './config.ts'
import { transparencyLog } from './ledger/log.ts'
import { prices } from './prices.ts'
import { enterProof, proofOutput, signProof } from './proofs/issue.ts'
import { NostrStatus, queuePublication } from './proofs/publication.ts'
import { recordsIn } from './proofs/record.ts'
import { isWellFormed } from './proofs/verify/event.ts'

const note =
  'Self-declared: the issuer has seen these bytes at this time, and has checked neither the source nor what they say.'

const wholeCharacters = { error: 'must not have half of a surrogate pair: its bytes would be another text' }

export default tool({
  name: 'witness',
  title: 'Witness a claim',
  description:
    'Signs that the exact bytes of a claim were here at this time, keeps them unmodified for anybody to read, and enters the proof into the public ledger. Use it to date what somebody says. Costs 100 sats.',
  keywords: ['timestamp', 'notarize', 'existence', 'anchor', 'statement', 'attest'],
  input: z.object({
    source: z
      .string()
      .min(1)
      .max(200)
      .refine(isWellFormed, wholeCharacters)
      .refine(text => !/\p{Cc}/u.test(text), { error: 'must not have control characters' })
      .describe('Who says it, as you know it; it is published and marked as self-declared'),
    body: z
      .string()
      .min(1)
      .max(16_000)
      .refine(isWellFormed, wholeCharacters)
      .describe('The claim, up to 16,000 characters; its UTF-8 bytes become public as they are'),
    nostr_publish: z
      .boolean()
      .default(false)
      .describe('Publishes the proof on the Nostr relays of this service'),
  }),
  output: z.object({
    ...proofOutput,
    content_hash: z.string().describe('SHA-256 of the bytes of the claim'),
    record_url: z.string().describe('Where anybody reads these bytes'),
    received_at: z.string().describe('When they came, ISO 8601'),
    nostr: NostrStatus,
  }),
  needs: ['store', 'clock', 'sign', transparencyLog],
  wants: [proofSettings.relays],
  price: prices.witness,
  settle: 'before',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['proof', 'notary'] },
  rest: { routes: ['POST /witness'] },
  examples: [{ source: 'weather.example.org', body: 'Rain at noon.' }],
  summary: ({ content_hash, received_at }) => `Witnessed ${content_hash} at ${received_at}.`,
}).run(async (ctx, { source, body, nostr_publish }) => {
  const bytes = Buffer.from(body)
  const content_hash = createHash('sha256').update(bytes).digest('hex')
  const now = ctx.clock.now()
  const received_at = now.toISOString()
  const record_url = `${ctx.base}/record/${content_hash}`
  const signed = await signProof(ctx, {
    schema: 'octagent.witness.v1',
    artifactHash: content_hash,
    payload: {
      body_hash: content_hash,
      body_bytes: bytes.length,
      claimed_source: source,
      source_verification_note: note,
      received_at,
      record_url,
    },
    source: 'declared',
    leaf: { type: 'witness' },
  })
  return ctx.commit(async tx => {
    await recordsIn(tx).insert({ id: content_hash, bytes: bytes.toString('base64'), received_at })
    return {
      ...(await enterProof(ctx, tx, ctx.base, signed)),
      content_hash,
      record_url,
      received_at,
      nostr: await queuePublication(tx, signed.event, { relays: ctx.relays, isWanted: nostr_publish, now }),
    }
  })
})

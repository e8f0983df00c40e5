import canonicalize from 'canonicalize'
import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { transparencyLog } from './ledger/log.ts'
import { prices } from './prices.ts'
import { answerReview, checkRequest, quoteReview } from './review/answer.ts'
import { reviewOutput } from './review/answer-schema.ts'
import { reviewSettings } from './review/config.ts'
import { reviewRequest } from './review/request-schema.ts'

const Open = z.record(z.string(), z.unknown())

const {
  context: _context,
  concerns: _concerns,
  artifact_source: _source,
  external_evidence: _evidence,
  disclosed_summary: _summary,
  state_hash: _state,
  request_capture_ref: _capture,
  list_checks: _listChecks,
  ...request
} = reviewRequest

const maxCharacters = 60_000

export default tool({
  name: 'review_onchain',
  title: 'Review before signing',
  description:
    'A verdict on a transaction, typed data, user operation or EIP-7702 authorization before it is signed: allowances, permits, nested calls, poisoned addresses, wrong chain, slippage, control changes, honeypots; decoded, dry-run and checked on chain where a node answers. Use it before every signature. 200 sats.',
  keywords: ['drainer', 'phishing', 'simulate', 'safe', 'approve', 'permit2'],
  input: z.object({
    transaction: Open.optional().describe(
      'Unsigned transaction: to, data, value, gas, max_fee_per_gas, authorization_list of chain_id, address, nonce. Quantities in wei, as decimal or hex text',
    ),
    raw_transaction: z.string().max(40_000).optional().describe('Instead: serialized, signed or not, in hex'),
    typed_data: Open.optional().describe('Instead: EIP-712 data: domain, types, primaryType, message'),
    user_operation: Open.optional().describe(
      'Instead: an ERC-4337 operation: sender, callData, entryPoint …',
    ),
    authorization: Open.optional().describe('Instead: an EIP-7702 authorization: chain_id, address, nonce'),
    message: z.string().min(1).max(20_000).optional().describe('Instead: a plain message (personal_sign)'),
    hash: z.string().max(66).optional().describe('Instead: a bare hash (eth_sign)'),
    from: z.string().max(42).optional().describe('Who signs'),
    chain_id: z
      .union([z.number().int().min(1), z.string().max(30)])
      .optional()
      .describe('EIP-155 id of the chain'),
    intent: Open.optional().describe(
      'What you mean to do; the more it says, the more is checked: chain_id, recipient, amount (tokens, atomic units), max_value (wei), amount_out (quote of a trade), contacts and trusted (lists of addresses)',
    ),
    read_chain: z
      .boolean()
      .default(true)
      .describe('False asks no node: code, age, allowances, dry run and honeypots are not checked'),
    ...request,
  }),
  output: z.object(reviewOutput),
  needs: ['store', 'clock', 'sign', reviewSettings.knownBad, transparencyLog],
  wants: ['evm'],
  price: prices.review,
  settle: 'before',
  async check({ clock }, input) {
    await readInput(input, clock.now())
  },
  quote: quoteReview,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['review', 'onchain', 'safety'] },
  rest: { routes: ['POST /review/onchain'] },
  examples: [
    {
      from: '0x1111111111111111111111111111111111111111',
      chain_id: 8453,
      transaction: {
        to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        data: '0x095ea7b30000000000000000000000002222222222222222222222222222222222222222ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      },
      read_chain: false,
    },
  ],
  summary: ({ verdict, summary }) => `${verdict.replaceAll('_', ' ')}: ${summary}`,
}).run(async (ctx, input) => {
  const { scene, text } = await readInput(input, ctx.clock.now())
  const { reviewScene } = await import('./onchain/review-action.ts')
  const { knownBad, signal } = ctx
  const evm = input.read_chain ? ctx.evm : undefined
  const judged = await reviewScene({ knownBad, evm, signal }, scene, text)
  return answerReview(ctx, input, input, judged)
})

const subjectFields = [
  'transaction',
  'raw_transaction',
  'typed_data',
  'user_operation',
  'authorization',
  'message',
  'hash',
  'from',
  'chain_id',
  'intent',
] as const

type Read = Awaited<ReturnType<typeof decodeInput>>

const decodeInput = async (input: Readonly<Record<string, unknown>>, now: Date) => {
  checkRequest(input)
  const [{ readAction, refuseField }, { readScene }] = await Promise.all([
    import('./onchain/action.ts'),
    import('./onchain/read-scene.ts'),
  ])
  const subject = Object.fromEntries(
    subjectFields.filter(name => input[name] !== undefined).map(name => [name, input[name]]),
  )
  const text = canonicalize(subject) ?? ''
  if (text.length > maxCharacters)
    throw refuseField('transaction', `must have at most ${maxCharacters} characters as JSON`)
  return { scene: await readScene(readAction(subject), now), text }
}

const decodedInputs = new WeakMap<object, Promise<Read>>()

/** The decoded action of an input, once for each, and the canonical JSON that the decision is about. Throws before anything is charged. */
const readInput = (input: Readonly<Record<string, unknown>>, now: Date): Promise<Read> => {
  const read = decodedInputs.get(input) ?? decodeInput(input, now)
  decodedInputs.set(input, read)
  return read
}

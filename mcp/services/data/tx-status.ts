import { z } from 'zod'
import { chainNames, parseChainName } from './evm/chains.ts'
import { TransactionFields } from './evm/transaction-fields.ts'
import { skill } from './skill.ts'

/** The 64 digits of a transaction hash in any case, with or without 0x; undefined when the text is none. */
const hashDigits = (text: string): string | undefined => /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim())?.[1]

/** A hash as it is written: in lower case with 0x. */
const parseHash = (text: string): string => `0x${(hashDigits(text) ?? '').toLowerCase()}`

const explainFormat = (text: string): string => {
  const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(text.trim())?.[1]
  if (digits === undefined) return 'must be a transaction hash, 0x and 64 hex digits'
  if (digits.length === 40) return 'has 40 hex digits, as addresses have: ask evm-address-intel'
  return `has ${digits.length} hex digits; a transaction hash has 64`
}

const HashInput = z
  .string()
  .max(300)
  .superRefine((text, context) => {
    if (hashDigits(text) === undefined) context.addIssue({ code: 'custom', message: explainFormat(text) })
  })
  .describe('Hash of the transaction: 0x and 64 hex digits')

export default skill({
  id: 'tx-status',
  argument: 'transaction_hash',
  aliases: { transaction_hash: ['hash', 'tx'] },
  price: '0.003',
  tags: ['evm', 'blockchain', 'transaction'],
  keywords: ['mined', 'payment', 'revert', 'mempool', 'receipt', 'pending'],
  openWorld: true,
  cacheSec: 5,
  key: ({ transaction_hash: hash, chain }) => [parseHash(hash), chain],
  main: 'transfers',
  title: 'Tell what became of a transaction',
  description:
    'Tells whether a transaction on Ethereum, Base, Arbitrum, Optimism or Polygon succeeded, failed (and why), waits or is unknown, with block, confirmations, sender, recipient, fee and token transfers. Without a chain it is looked for on all. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({
    transaction_hash: HashInput,
    chain: z
      .preprocess(parseChainName, z.enum(chainNames))
      .optional()
      .describe('Chain that is asked; without one eth, then the others'),
  }),
  output: TransactionFields,
  needs: ['evm'],
  texts: ['tx-status <transaction_hash> <chain>'],
  examples: [
    {
      transaction_hash: '0x242b221fe35034cc9d1d76a18421f294620ceff8422ac1775bcaad6d65717627',
      chain: 'arbitrum',
    },
    { transaction_hash: '0x242b221fe35034cc9d1d76a18421f294620ceff8422ac1775bcaad6d65717627' },
  ],
  summary: ({ transaction_hash: hash, chain, status, confirmations }) =>
    `${hash} on ${chain}: ${status ?? 'unknown'}${confirmations === null ? '' : `, ${confirmations} confirmations`}.`,
}).run(async ({ evm, signal }, { transaction_hash: hash, chain }) => {
  const { followTransaction } = await import('./evm/follow-transaction.ts')
  return followTransaction({ evm, signal }, parseHash(hash), chain)
})

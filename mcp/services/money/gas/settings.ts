import { z } from 'zod'
import { settings } from '../../../kernel/setting.ts'
import { wholeNumber } from '../../../lib/setting-texts.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address')
  .transform(text => text as `0x${string}`)

const key = z
  .string()
  .regex(/^(?:0x[0-9a-fA-F]{64})?$/, 'a private key: 0x and 64 hexadecimal digits')
  .transform(text => text as `0x${string}` | '')

/** An operator's settings for the sponsoring of gas. Local chains need none of them. */
export const gasSettings = settings({
  gasSponsor: {
    variable: 'MONEY_GAS_SPONSOR',
    schema: z
      .string()
      .regex(/^(?:0x[0-9a-fA-F]{40})?$/, 'an EVM address')
      .transform(text => text as `0x${string}` | ''),
    description:
      'Address of the contract GasSponsor on Base and Polygon. Without it no gas is sponsored but on local chains.',
    default: '',
    example: '0x00000000000000000000000000000000000000f1',
  },
  gasSigner: {
    variable: 'MONEY_GAS_SIGNER_KEY',
    schema: key,
    description: 'Private key that signs what GasSponsor pays for: its `signer`.',
    default: '',
    secret: true,
  },
  gasSubmitter: {
    variable: 'MONEY_GAS_SUBMITTER_KEY',
    schema: key,
    description:
      'Private key of the wallet that submits sponsored operations; it needs coins for gas on each chain.',
    default: '',
    secret: true,
  },
  gasFeedBase: {
    variable: 'MONEY_GAS_FEED_BASE',
    schema: address,
    description: 'Chainlink feed ETH / USD on Base.',
    default: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
  },
  gasFeedPolygon: {
    variable: 'MONEY_GAS_FEED_POLYGON',
    schema: address,
    description: 'Chainlink feed POL / USD on Polygon, once MATIC / USD.',
    default: '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0',
  },
  gasFeedSol: {
    variable: 'MONEY_GAS_FEED_SOL',
    schema: address,
    description: 'Chainlink feed SOL / USD on Base.',
    default: '0x975043adBb80fc32276CbF9Bbcfd4A601a12462D',
  },
  gasSolanaKey: {
    variable: 'MONEY_GAS_SOLANA_KEY',
    schema: z.string().regex(/^(?:[1-9A-HJ-NP-Za-km-z]{80,90})?$/, 'a Solana secret key: base58 of 64 bytes'),
    description:
      'Secret key of the wallet that pays fees of transactions on Solana. Without it none are sponsored.',
    default: '',
    secret: true,
  },
  gasFeedAge: {
    variable: 'MONEY_GAS_FEED_AGE',
    schema: wholeNumber(1),
    description: 'Seconds after which a price of those feeds is too old to sell by.',
    default: '3900',
  },
  gasMaxUsd: {
    variable: 'MONEY_GAS_MAX_USD',
    schema: wholeNumber(1),
    description: 'Dollars that one sponsored operation may cost at most.',
    default: '5',
  },
})

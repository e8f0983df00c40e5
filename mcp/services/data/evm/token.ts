import type { Hex } from 'viem'
import type { Returned } from '../../../lib/evm-words.ts'
import { isTrue, numberIn, returnedText } from '../../../lib/evm-words.ts'
import { callAll } from './calls.ts'
import type { CallChain } from './chain.ts'

export type Standard = 'ERC-20' | 'ERC-721' | 'ERC-1155'

/** A contract's claims about itself as a token; null is what it does not say. */
export type TokenClaims = {
  standard: Standard | null
  name: string | null
  symbol: string | null
  /** As it was answered: anything above 77 means nothing. */
  decimals: bigint | null
  total_supply: bigint | null
}

const supports = (id: string): Hex => `0x01ffc9a7${id.padEnd(64, '0')}`

/** Calls without arguments, `balanceOf` of nobody, and what ERC-165 asks. */
const questions = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  total_supply: '0x18160ddd',
  balanceOf: `0x70a08231${'0'.repeat(63)}1`,
  erc165: supports('01ffc9a7'),
  nothing: supports('ffffffff'),
  erc721: supports('80ac58cd'),
  erc1155: supports('d9b67a26'),
} as const

type Answers = Record<keyof typeof questions, Returned>

/** A contract that says yes to everything implements nothing (ERC-165). */
const detectStandard = (answers: Answers): Standard | null => {
  if (isTrue(answers.erc165) && !isTrue(answers.nothing)) {
    if (isTrue(answers.erc721)) return 'ERC-721'
    if (isTrue(answers.erc1155)) return 'ERC-1155'
  }
  const counts = numberIn(answers.balanceOf) !== null && numberIn(answers.decimals) !== null
  return counts ? 'ERC-20' : null
}

/** Asks a contract what it is as a token; what reverts is null. */
export const askToken = async (chain: CallChain, address: Hex): Promise<TokenClaims> => {
  const names = Object.keys(questions) as (keyof typeof questions)[]
  const results = await callAll(
    chain,
    names.map(name => ({ to: address, data: questions[name] })),
  )
  const answers = Object.fromEntries(names.map((name, index) => [name, results[index] ?? null])) as Answers
  return {
    standard: detectStandard(answers),
    name: returnedText(answers.name),
    symbol: returnedText(answers.symbol),
    decimals: numberIn(answers.decimals),
    total_supply: numberIn(answers.total_supply),
  }
}

/** Decimals that a number of 256 bits can have. */
export const maxDecimals = 77n

/** True for a contract that says nothing that a token says. */
export const isNoToken = ({ standard, name, symbol, decimals }: TokenClaims): boolean =>
  standard === null && decimals === null && (name === null || symbol === null)

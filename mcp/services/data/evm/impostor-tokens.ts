import type { Hex } from 'viem'
import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'
import type { EvmChain } from '../../../ports/evm/port.ts'
import type { Note } from '../meta.ts'

const familiarToken = z.strictObject({
  chain: z.enum(['eth', 'base', 'arbitrum', 'optimism', 'polygon']),
  symbol: z.string(),
  name: z.string(),
  address: z.templateLiteral(['0x', z.string().regex(/^[\da-fA-F]{40}$/)]).transform(text => text as Hex),
})

type FamiliarToken = z.output<typeof familiarToken>

/**
 * Tokens with the most value on each chain, which others like to pass for. Some symbols have two: the issuer's own and the one of
 * a bridge.
 */
export const familiarTokens = factTable(
  new URL('./data/familiar-tokens.json', import.meta.url),
  z.array(familiarToken),
)

const tokensOn = (chain: EvmChain) => familiarTokens().filter(token => token.chain === chain)

/** Capital letters of other scripts that look like Latin ones, and what they look like. */
const looks =
  'АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЅS ЈJ ԁD ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ₮T $S €E'
const latin = new Map(looks.split(' ').map(([other = '', letter = '']) => [other, letter]))

/** A text as the eye takes it: without case, marks, blanks and the difference between scripts. */
const toSkeleton = (text: string): string =>
  Array.from(text.replace(/^\$/, '').normalize('NFKD').toUpperCase(), char => latin.get(char) ?? char)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The listed token at an address, whatever it calls itself. */
export const familiarAt = (chain: EvmChain, address: string): FamiliarToken | null =>
  tokensOn(chain).find(token => token.address.toLowerCase() === address.toLowerCase()) ?? null

/** Warns of a token that has the symbol or the name of a listed one, or looks like it, and is another contract. */
export const impostorNotes = (
  chain: EvmChain,
  { address, symbol, name }: { address: string; symbol: string | null; name: string | null },
): Note[] => {
  if (familiarAt(chain, address)) return []
  const own = [symbol, name].flatMap(text => (text === null ? [] : [toSkeleton(text)]))
  const model = tokensOn(chain).find(
    token => own.includes(toSkeleton(token.symbol)) || own.includes(toSkeleton(token.name)),
  )
  if (!model) return []
  return [
    {
      code: 'looks_like_another_token',
      message: `It calls itself ${symbol ?? name}, but ${model.symbol} (${model.name}) on ${chain} is ${model.address}.`,
    },
  ]
}

import type { EvmChain } from '../../../ports/index.ts'
import type { Note } from '../meta.ts'
import { type FamiliarToken, familiarTokens } from './familiar-tokens.ts'

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
  familiarTokens[chain].find(token => token.address.toLowerCase() === address.toLowerCase()) ?? null

/** Warns of a token that has the symbol or the name of a listed one, or looks like it, and is another contract. */
export const impostorNotes = (
  chain: EvmChain,
  { address, symbol, name }: { address: string; symbol: string | null; name: string | null },
): Note[] => {
  if (familiarAt(chain, address)) return []
  const own = [symbol, name].flatMap(text => (text === null ? [] : [toSkeleton(text)]))
  const model = familiarTokens[chain].find(
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

import { type Abi, type Hex, parseAbi, toFunctionSelector } from 'viem'
import * as z from 'zod'
import { factTable } from './facts.ts'

/** Methods and errors of contracts that many use; and what `Panic(uint256)` of Solidity means by its number. */
export const signatures = factTable(
  new URL('./data/evm-signatures.json', import.meta.url),
  z.strictObject({
    methods: z
      .array(z.string())
      .transform(all => new Map(all.map(text => [toFunctionSelector(text), text.replace(/\(.*/, '')]))),
    errors: z.array(z.string()).transform((all): Abi => parseAbi(all.map(text => `error ${text}`))),
    panics: z.record(z.string(), z.string()),
  }),
)

/** The method that a call asks for: its name where many contracts have it, and its selector. Null without call data. */
export const findMethod = (input: Hex): { name: string | null; id: Hex } | null => {
  if (input.length < 10) return null
  const id = input.slice(0, 10).toLowerCase() as Hex
  return { id, name: signatures().methods.get(id) ?? null }
}

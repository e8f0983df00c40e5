import { type Abi, decodeErrorResult, type Hex } from 'viem'
import { signatures } from './evm-signatures.ts'
import { clean } from './text/clean.ts'

/** Why a call of a list fails. `name` and `args` are those of the contract's error, where it is known. */
export type Revert = {
  /** Place of the call in the list, from 0. */
  index: number
  name: string | null
  args: Readonly<Record<string, string>>
  /** The same in words. */
  text: string
}

const decode = (abi: Abi, data: Hex): Omit<Revert, 'index'> => {
  try {
    const {
      errorName: name,
      args = [],
      abiItem,
    } = decodeErrorResult({ abi: [...abi, ...signatures().errors], data })
    if (name === 'Error') return { name: null, args: {}, text: clean(String(args[0]), 200) || 'no reason' }
    if (name === 'Panic')
      return {
        name: null,
        args: {},
        text: signatures().panics[String(args[0])] ?? `panic ${String(args[0])}`,
      }
    const inputs = 'inputs' in abiItem ? abiItem.inputs : []
    const fields = inputs.map(({ name }, index) => [name || String(index), String(args[index])] as const)
    return {
      name,
      args: Object.fromEntries(fields),
      text: `${name}(${fields.map(([name, value]) => `${name} ${clean(value, 80)}`).join(', ')})`,
    }
  } catch {
    return { name: null, args: {}, text: `an unknown error ${data.slice(0, 10)}` }
  }
}

/** Decodes the bytes of a revert; `abi` has the errors of the contracts that take part. */
export const readRevertData = (abi: Abi, index: number, data: Hex): Revert => ({
  index,
  ...(data.length < 10
    ? { name: null, args: {}, text: 'no reason given, or not enough gas' }
    : decode(abi, data)),
})

/** Why a call reverts, by its bytes or else by the node's message; null where neither tells. */
export const revertReason = (data: string | null | undefined, message = ''): string | null =>
  data && /^0x[0-9a-f]{8,}$/i.test(data)
    ? decode([], data as Hex).text
    : clean(/reverted(?: with reason string)?:?\s*(.+)/is.exec(message)?.[1], 200)

import { type Abi, decodeErrorResult, type Hex } from 'viem'
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

/** Errors of the tokens that everybody meets (ERC-6093, OpenZeppelin). */
const tokenErrors = [
  ['ERC20InsufficientBalance', ['address sender', 'uint256 balance', 'uint256 needed']],
  ['ERC20InsufficientAllowance', ['address spender', 'uint256 allowance', 'uint256 needed']],
  ['ERC20InvalidReceiver', ['address receiver']],
  ['ERC20InvalidSender', ['address sender']],
  ['SafeERC20FailedOperation', ['address token']],
  ['EnforcedPause', []],
] as const

const knownAbi: Abi = tokenErrors.map(([name, inputs]) => ({
  type: 'error',
  name,
  inputs: inputs.map(input => {
    const [type = '', name = ''] = input.split(' ')
    return { type, name }
  }),
}))

const panics: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'a number overflowed',
  '18': 'a division by zero',
  '50': 'an index out of bounds',
}

const decode = (abi: Abi, data: Hex): Omit<Revert, 'index'> => {
  try {
    const { errorName: name, args = [], abiItem } = decodeErrorResult({ abi: [...abi, ...knownAbi], data })
    if (name === 'Error') return { name: null, args: {}, text: clean(String(args[0]), 200) || 'no reason' }
    if (name === 'Panic')
      return { name: null, args: {}, text: panics[String(args[0])] ?? `panic ${String(args[0])}` }
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

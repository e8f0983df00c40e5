import { readFileSync } from 'node:fs'
import solc from 'solc'
import type { Abi, Hex } from 'viem'

type Compiled = { abi: Abi; bytecode: Hex }

let compiled: Record<string, Compiled> | undefined

/** The contracts of `Traps.sol`, compiled once. */
export const traps = (): Record<string, Compiled> => {
  if (compiled) return compiled
  const content = readFileSync(new URL('./Traps.sol', import.meta.url), 'utf8')
  const request = {
    language: 'Solidity',
    sources: { 'Traps.sol': { content } },
    settings: {
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(request))) as {
    errors?: { severity: string; formattedMessage: string }[]
    contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
  }
  const faults = errors.filter(({ severity }) => severity === 'error')
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'))
  compiled = Object.fromEntries(
    Object.entries(contracts['Traps.sol'] ?? {}).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as Hex },
    ]),
  )
  return compiled
}

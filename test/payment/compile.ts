import { readFileSync } from 'node:fs'
import type { Abi, Hex } from 'viem'

type Artifact = { abi: Abi; bytecode: Hex }

/** Compiles a Solidity source that lies beside the tests; throws what the compiler complains of. */
export const compile = async (path: string): Promise<(name: string) => Artifact> => {
  const { default: solc } = await import('solc')
  const request = {
    language: 'Solidity',
    sources: { main: { content: readFileSync(path, 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(request)))
  if (errors.length > 0) throw new Error(errors[0].formattedMessage)
  return name => {
    const { abi, evm } = contracts.main[name]
    return { abi, bytecode: `0x${evm.bytecode.object}` }
  }
}

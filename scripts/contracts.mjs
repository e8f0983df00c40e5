// Compiles contracts/TestUSDC.sol into contracts/test-usdc.ts. `--print` writes to stdout instead.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const file = 'contracts/TestUSDC.sol'
const request = {
  language: 'Solidity',
  sources: { [file]: { content: readFileSync(file, 'utf8') } },
  settings: {
    // cancun is what every chain in use runs; without metadata, the same source gives the same code everywhere.
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
}
const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(request)))
for (const { formattedMessage } of errors) console.error(formattedMessage)
if (errors.length > 0) process.exit(1)

const { abi, evm } = contracts[file].TestUSDC
const text = `// Generated from TestUSDC.sol by scripts/contracts.mjs with solc ${solc.version().split('+')[0]}.
// biome-ignore-all format: generated

export const testUsdc = {
  abi: [
${abi.map(entry => `    ${JSON.stringify(entry)},`).join('\n')}
  ],
  /** Deploys the token anywhere. */
  bytecode: '0x${evm.bytecode.object}',
  /** What a local chain places at the canonical address. */
  deployedBytecode: '0x${evm.deployedBytecode.object}',
} as const
`
if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync('contracts/test-usdc.ts', text)

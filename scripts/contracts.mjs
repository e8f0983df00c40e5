// Compiles the contracts into TypeScript modules beside them, and measures their gas where forge is installed.
// `--check` writes nothing: it names what is not as its source makes it, and fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import { forge, runForge } from './forge.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

/**
 * The module of each contract. `runtime`: a local chain places that code at a canonical address. `checked`: what stands at a configured
 * address is held against it.
 */
const modules = [
  { source: 'TestUSDC.sol', name: 'TestUSDC', module: 'test-usdc', runtime: true },
  { source: 'simulation/CallSequence.sol', name: 'CallSequence', runtime: true },
  { source: 'channel/ChannelEscrow.sol', name: 'ChannelEscrow', checked: true },
  { source: 'gas/GasSponsor.sol', name: 'GasSponsor', checked: true },
  { source: 'accounts/TestWallets.sol', name: 'TestWallet', runtime: true },
  { source: 'accounts/TestWallets.sol', name: 'TestWalletFactory' },
  { source: 'bridge/StablecoinBridge.sol', name: 'StablecoinBridge', checked: true },
  { source: 'bridge/TestCctp.sol', name: 'TestMessageTransmitter', runtime: true },
  { source: 'bridge/TestCctp.sol', name: 'TestTokenMessenger', runtime: true },
  { source: 'bridge/TestCctp.sol', name: 'TestTokenMessengerWithFees', runtime: true },
  { source: 'escrow/Purse.sol', name: 'Purse', module: 'task-escrow-purse' },
  { source: 'escrow/TaskEscrow.sol', name: 'TaskEscrow', checked: true },
  { source: 'agents/TestAgentRegistries.sol', name: 'TestIdentityRegistry' },
  { source: 'agents/TestAgentRegistries.sol', name: 'TestReputationRegistry' },
  { source: 'basket/BasketOracle.sol', name: 'BasketOracle', checked: true },
  { source: 'basket/BasketVault.sol', name: 'BasketVault', checked: true },
  { source: 'basket/BasketVaultFactory.sol', name: 'BasketVaultFactory', checked: true },
  { source: 'basket/SlipstreamVenue.sol', name: 'SlipstreamVenue', checked: true },
  { source: 'basket/TestMarket.sol', name: 'TestPriceFeed' },
  { source: 'basket/TestMarket.sol', name: 'TestMulticall', runtime: true },
  { source: 'basket/TestMarket.sol', name: 'TestStock' },
  { source: 'basket/TestMarket.sol', name: 'TestSwapRouter' },
]

const check = process.argv.includes('--check')

/** `TestPriceFeed` lies in `test-price-feed.ts`. */
const moduleName = ({ name, module = name.replace(/\B([A-Z])/g, '-$1').toLowerCase() }) => module

const camelCase = name => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())

const compile = () => {
  const sources = Object.fromEntries(
    modules.map(({ source }) => [
      `contracts/${source}`,
      { content: readFileSync(`contracts/${source}`, 'utf8') },
    ]),
  )
  const settings = {
    // cancun is what every chain in use runs; without metadata, the same source gives the same code everywhere.
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode'] } },
  }
  const readImport = path => ({
    contents: readFileSync(path.startsWith('@') ? `node_modules/${path}` : path, 'utf8'),
  })
  const request = JSON.stringify({ language: 'Solidity', sources, settings })
  const { errors = [], contracts } = JSON.parse(solc.compile(request, { import: readImport }))
  // 2394 only says that transient storage exists; OpenZeppelin's reentrancy guard clears it.
  const faults = errors.filter(({ errorCode }) => errorCode !== '2394')
  for (const { formattedMessage } of faults) console.error(formattedMessage)
  if (faults.length > 0) process.exit(1)
  return contracts
}

/** How much of the end of the code that deploys a contract stays on the chain, and at which bytes its immutables are. */
const runtimeFacts = ({ bytecode, deployedBytecode: { object, immutableReferences } }) => {
  if (!bytecode.object.endsWith(object)) throw new Error('the runtime code does not end the creation code')
  const immutables = Object.values(immutableReferences)
    .flat()
    .map(({ start }) => start)
    .sort((one, other) => one - other)
  return `  /** Bytes of code that stay, the last ones of \`bytecode\`, and where 32 of them are filled in when it is deployed. */
  runtime: { length: ${object.length / 2}, immutables: [${immutables.join(', ')}] },
`
}

const toModule = (entry, { abi, evm }) => {
  const { source, name, runtime, checked } = entry
  const takesArguments = abi.some(({ type, inputs }) => type === 'constructor' && inputs.length > 0)
  return `// Generated from ${source} by scripts/contracts.mjs with solc ${solc.version().split('+')[0]}.
// biome-ignore-all format: generated

export const ${camelCase(moduleName(entry))} = {
  abi: [
${abi.map(entry => `    ${JSON.stringify(entry)},`).join('\n')}
  ],
  /** Deploys ${name} anywhere${takesArguments ? ', with the arguments of its constructor behind' : ''}. */
  bytecode: '0x${evm.bytecode.object}',
${runtime ? `  /** Code a local chain places at the canonical address. */\n  deployedBytecode: '0x${evm.deployedBytecode.object}',\n` : ''}${checked ? runtimeFacts(evm) : ''}} as const
`
}

const contracts = compile()
let stale = 0
for (const entry of modules) {
  const file = `contracts/${moduleName(entry)}.ts`
  const text = toModule(entry, contracts[`contracts/${entry.source}`][entry.name])
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  if (check) {
    stale++
    console.error(`${file} is not what contracts/${entry.source} compiles to: run "npm run contracts"`)
  } else writeFileSync(file, text)
}

if (!check && forge() === undefined)
  console.error('forge is not installed: contracts/snapshots/ is left as it is')
if (!check && forge() !== undefined) {
  const { status } = await runForge(['test', '--match-contract', 'GasUse'], {
    FORGE_SNAPSHOT_CHECK: 'false',
    FORGE_SNAPSHOT_EMIT: 'true',
  })
  if (status !== 0) process.exit(1)
}
if (stale > 0) process.exit(1)

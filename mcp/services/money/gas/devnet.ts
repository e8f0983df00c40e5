import { createRequire } from 'node:module'
import {
  concatHex,
  createTestClient,
  custom,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  type PublicClient,
  parseEther,
  parseUnits,
  zeroHash,
} from 'viem'
import { gasSponsor } from '../../../../contracts/gas-sponsor.ts'
import { testPriceFeed } from '../../../../contracts/test-price-feed.ts'
import { ToolError } from '../../../kernel/error.ts'
import { addressOf, deployer } from '../../../lib/contract.ts'
import { entryPoint, simpleAccount } from './operation.ts'

const entryPointSalt: Hex = '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9'
/** Sender of what sets a local chain up: nobody has its key. */
const founder: Hex = '0x00000000000000000000000000000000000f0d9e'
const coinPrice = parseUnits('3000', 8)
/** Low enough that the price of an operation is the least one, as it mostly is on the real chains. */
const baseFee = 5_000_000n
const tip = 1_000_000n

const require = createRequire(import.meta.url)

/** The bytecode of a contract of account abstraction. Throws `unavailable` where the package of them is not installed. */
const readArtifact = (name: string): Hex => {
  try {
    const { bytecode } = require(`@account-abstraction/contracts/artifacts/${name}.json`) as { bytecode: Hex }
    return bytecode
  } catch (cause) {
    throw new ToolError(
      'unavailable',
      'The local chain has no EntryPoint: the package @account-abstraction/contracts is not installed.',
      { hint: 'It is for development only: run npm ci without --omit=dev.', cause },
    )
  }
}

/** Throws `unavailable` where a local chain cannot be set up. */
export const requireArtifacts = (): void => {
  readArtifact('EntryPoint')
}

type Keys = { signer: Hex; submitter: Hex }

/** Code deployed with the arguments of an installation, at addresses that follow from them. */
const sponsorCode = ({ signer, submitter }: Keys): Hex =>
  encodeDeployData({ abi: gasSponsor.abi, bytecode: gasSponsor.bytecode, args: [submitter, signer] })

const feedCode = encodeDeployData({
  abi: testPriceFeed.abi,
  bytecode: testPriceFeed.bytecode,
  args: [coinPrice],
})

/** Sends as anybody, which only a local chain allows, and waits until it is mined. */
const openSender = (reader: PublicClient) => {
  const test = createTestClient({ mode: 'anvil', transport: custom(reader) })
  const send = async (from: Hex, call: { to: Hex; data: Hex; value?: bigint }) => {
    await test.impersonateAccount({ address: from })
    const terms = { from, gas: 12_000_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: tip, ...call }
    const hash = await test.sendUnsignedTransaction(terms as never)
    const { status } = await reader.waitForTransactionReceipt({ hash, timeout: 60_000 })
    if (status !== 'success') throw new Error('the local chain refused to be set up')
  }
  return { test, send }
}

/**
 * Puts what sponsoring needs on a local chain, unless it is there: EntryPoint v0.8 and the code of plain accounts, byte for byte at
 * their addresses, the sponsor with a deposit, and a feed that says 3,000 USD. `keys` are addresses.
 */
export const setUpGasChain = async (
  reader: PublicClient,
  keys: Keys,
): Promise<{ sponsor: Hex; feed: Hex }> => {
  const sponsor = addressOf(sponsorCode(keys))
  const feed = addressOf(feedCode)
  const contracts = [
    { address: entryPoint, salt: entryPointSalt, code: () => readArtifact('EntryPoint') },
    { address: simpleAccount, salt: zeroHash, code: () => readArtifact('Simple7702Account') },
    { address: sponsor, salt: zeroHash, code: () => sponsorCode(keys) },
    { address: feed, salt: zeroHash, code: () => feedCode },
  ]
  const { test, send } = openSender(reader)
  await test.setBalance({ address: founder, value: parseEther('1000') })
  if ((await reader.getBalance({ address: keys.submitter })) === 0n) {
    await test.setBalance({ address: keys.submitter, value: parseEther('100') })
    // A chain that starts again must not repeat its transactions down to their hashes.
    await test.setNonce({ address: keys.submitter, nonce: Date.now() * 1_000 })
  }
  for (const { address, salt, code } of contracts)
    if ((await reader.getCode({ address })) === undefined) {
      await send(founder, { to: deployer, data: concatHex([salt, code()]) })
      if ((await reader.getCode({ address })) === undefined) throw new Error(`nothing is at ${address}`)
    }
  const deposit = encodeFunctionData({ abi: gasSponsor.abi, functionName: 'deposit' })
  await test.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee })
  await send(founder, { to: sponsor, data: deposit, value: parseEther('10') })
  return { sponsor, feed }
}

/** Has the local feed say its price anew, as a real one does all the time. */
export const renewFeed = async (reader: PublicClient, feed: Hex, now: Date): Promise<void> => {
  const time = BigInt(Math.floor(now.getTime() / 1_000))
  const data = encodeFunctionData({ abi: testPriceFeed.abi, functionName: 'set', args: [coinPrice, time] })
  await openSender(reader).send(founder, { to: feed, data })
}

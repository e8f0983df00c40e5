import { createHmac } from 'node:crypto'
import { createWalletClient, encodeFunctionData, http, toHex } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { testUsdc } from '../contracts/test-usdc.ts'
import { authorizationFields } from '../mcp/lib/evm-abi.ts'
import { openDevnetKeys } from '../mcp/ports/devnet/keys.ts'
import { accountAbi } from '../mcp/services/money/gas/draft.ts'
import { delegationMarker } from '../mcp/services/money/gas/networks.ts'
import {
  entryPoint,
  operationTypedData,
  packOperation,
  type SponsoredOperation,
  signSponsorship,
  simpleAccount,
  stubPaymasterData,
} from '../mcp/services/money/gas/operation.ts'
import { type Gas, shop, signSold, startGas, twoTransfers } from '../test/services/money/gas.ts'
import { median } from './median.ts'
import type { Bench, Group, Measurement } from './row.ts'

type Hex = `0x${string}`

const runs = 20
const warm = 3

let starting: Promise<Gas> | undefined
let alive: NodeJS.Timeout | undefined
const started = (): Promise<Gas> => {
  // Local chains do not keep a process alive, and here nothing else does.
  alive ??= setInterval(() => undefined, 1_000)
  starting ??= startGas()
  return starting
}

type User = Awaited<ReturnType<Gas['makeUser']>>

/** Quote, payment, signatures, submission and its block, through the service. */
const throughService = async (gas: Gas, user: User): Promise<void> => {
  const sold = await gas.post({ sender: user.address, calls: twoTransfers(gas.usdc) }, user.fetch)
  const done = await gas.post(await signSold(user.account, sold.body))
  if (done.body.success !== true) throw new Error(`it was not mined: ${JSON.stringify(done.body)}`)
}

const openByHand = async (gas: Gas) => {
  const { reader, usdc } = gas
  const rpc = (await gas.app.devnetRpc('base')) ?? ''
  const { facilitator } = await openDevnetKeys(gas.dir)
  const localKey = (role: string): Hex => `0x${createHmac('sha256', facilitator).update(role).digest('hex')}`
  const signer = privateKeyToAccount(localKey('gas signer'))
  // A wallet of its own: two programs that send from one would wait for each other.
  const account = privateKeyToAccount(generatePrivateKey())
  await reader.request({ method: 'anvil_setBalance', params: [account.address, toHex(10n ** 18n)] } as never)
  const { chain } = reader
  if (!chain) throw new Error('no chain')
  const wallet = createWalletClient({ account, chain, transport: http(rpc) })
  const stub = await gas.post({
    jsonrpc: '2.0',
    id: 1,
    method: 'pm_getPaymasterStubData',
    params: [{ sender: shop, callData: '0x' }, entryPoint, '0x2105', {}],
  })
  const paymaster = (stub.body.result as { paymaster: Hex }).paymaster
  const mined = async (hash: Hex) => {
    const { status } = await reader.waitForTransactionReceipt({ hash, pollingInterval: 10 })
    if (status !== 'success') throw new Error('reverted')
  }

  const pay = async (user: User) => {
    const now = BigInt(Math.floor(Date.now() / 1_000))
    const message = {
      from: user.address,
      to: shop,
      value: 30_000n,
      validAfter: now - 60n,
      validBefore: now + 300n,
      nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
    }
    const signature = await user.account.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc },
      types: { TransferWithAuthorization: authorizationFields },
      primaryType: 'TransferWithAuthorization',
      message,
    })
    const { from, to, value, validAfter, validBefore, nonce } = message
    const data = encodeFunctionData({
      abi: testUsdc.abi,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, signature],
    })
    await reader.call({ account: account.address, to: usdc, data })
    await mined(await wallet.sendTransaction({ to: usdc, data }))
  }

  return async (user: User): Promise<void> => {
    const calls = twoTransfers(usdc).map(({ to, data }) => ({ target: to, value: 0n, data }))
    const callData = encodeFunctionData({
      abi: accountAbi,
      functionName: 'executeBatch',
      args: [calls],
    })
    const stateOverride = [{ address: user.address, code: `0xef0100${simpleAccount.slice(2)}` as Hex }]
    // Quote: what the chain says, and what the calls need.
    const [transactions, nonce, fees, callGas] = await Promise.all([
      reader.getTransactionCount({ address: user.address }),
      reader.readContract({
        address: entryPoint,
        abi: entryPoint08Abi,
        functionName: 'getNonce',
        args: [user.address, 0n],
      }),
      reader.estimateFeesPerGas(),
      reader.estimateGas({ account: entryPoint, to: user.address, data: callData, stateOverride }),
    ])
    await pay(user)
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const operation: SponsoredOperation = {
      sender: user.address,
      nonce,
      factory: delegationMarker,
      factoryData: undefined,
      callData,
      callGasLimit: callGas,
      verificationGasLimit: 60_000n,
      preVerificationGas: 80_000n,
      maxFeePerGas: 2n * maxFeePerGas,
      maxPriorityFeePerGas,
      paymaster,
      paymasterVerificationGasLimit: 60_000n,
      paymasterPostOpGasLimit: 0n,
      paymasterData: stubPaymasterData,
      signature: '0x',
    }
    const validity = { validAfter: 0, validUntil: Math.floor(Date.now() / 1_000) + 300 }
    const sponsored = await signSponsorship(signer, operation, validity, 8453)
    const typedData = operationTypedData(sponsored, simpleAccount, 8453)
    const signature = await user.account.signTypedData(
      typedData as unknown as Parameters<typeof user.account.signTypedData>[0],
    )
    const authorization = await user.account.signAuthorization({
      address: simpleAccount,
      chainId: 8453,
      nonce: transactions,
    })
    const data = encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [[packOperation({ ...sponsored, signature })], account.address],
    })
    // The dry run, then the transaction and its block.
    await reader.call({ account: account.address, to: entryPoint, data, stateOverride })
    const terms = { to: entryPoint, data, gas: 1_000_000n, authorizationList: [authorization] }
    await mined(await wallet.sendTransaction(terms))
  }
}

const timed = async (work: () => Promise<void>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const measureRatio = async (): Promise<Measurement> => {
  const gas = await started()
  const byHand = await openByHand(gas)
  const ours: number[] = []
  const theirs: number[] = []
  for (let turn = -warm; turn < runs; turn++) {
    const [mine, peer] = [await gas.makeUser(), await gas.makeUser()]
    const [my, their] = [await timed(() => throughService(gas, mine)), await timed(() => byHand(peer))]
    if (turn >= 0) ours.push(my)
    if (turn >= 0) theirs.push(their)
  }
  const [mine, peer] = [median(ours), median(theirs)]
  return {
    value: mine / peer,
    note: `${mine.toFixed(0)} ms against ${peer.toFixed(0)} ms, median of ${runs}: quote, payment, signatures, dry run, block`,
  }
}

const benches: readonly Bench[] = [
  {
    name: 'sponsored operation, quote to block',
    unit: 'x',
    against: 'viem by hand',
    aim: { below: 1.25 },
    measure: measureRatio,
  },
]

/** Gas that is sponsored, against the same steps by hand on the same local chain; below 1 is faster. */
export const gas: Group = {
  name: 'gas',
  benches,
  async close() {
    await (await starting)?.stop()
    clearInterval(alive)
  },
}

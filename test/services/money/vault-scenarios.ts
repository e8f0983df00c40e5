import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type PrivateKeyAccount,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'

type Call = { to: Hex; data: Hex; value: string; gas: string }

/** A program on this machine with its local chains. */
type Running = { url: string; devnetRpc(name: 'base'): Promise<string | undefined> }

/** Sends prepared calls of an account to the local Base of a program, in order. */
export const sendCalls = async (
  { devnetRpc }: Pick<Running, 'devnetRpc'>,
  account: PrivateKeyAccount,
  calls: readonly Call[],
): Promise<void> => {
  const transport = http(await devnetRpc('base'))
  const [wallet, reader] = [createWalletClient({ account, transport }), createPublicClient({ transport })]
  for (const { to, data, value, gas } of calls) {
    const terms = { chain: null, to, data, value: BigInt(value), gas: BigInt(gas) }
    const hash = await wallet.sendTransaction(terms)
    const { status } = await reader.waitForTransactionReceipt({ hash, pollingInterval: 50 })
    if (status !== 'success') throw new Error('it reverted')
  }
}

/** A new account with USDC and coins for gas. */
export const openBuyer = async (app: Running, usdc = 100_000_000n): Promise<PrivateKeyAccount> => {
  const account = privateKeyToAccount(generatePrivateKey())
  const reader = createPublicClient({ transport: http(await app.devnetRpc('base')) })
  await reader.request({
    method: 'anvil_setBalance',
    params: [account.address, '0xde0b6b3a7640000'],
  } as never)
  const data = encodeFunctionData({ abi: testUsdc.abi, functionName: 'mint', args: [account.address, usdc] })
  await sendCalls(app, account, [{ to: networks.base.token.address, data, value: '0', gas: '200000' }])
  return account
}

const withBuyer = async (app: Running, input: Record<string, unknown>, ownsVault: boolean) => {
  const account = await openBuyer(app)
  if (ownsVault) {
    const answer = await fetch(`${app.url}/money/v1/buy-stocks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ owner: account.address, amount: '10' }),
    })
    const { calls } = (await answer.json()) as { calls: Call[] }
    await sendCalls(app, account, calls)
  }
  return { input: { ...input, owner: account.address }, headers: {} }
}

/** What the examples of the vault tools need to work: an owner with USDC, or with a vault. */
export const vaultScenarios = {
  buy_stocks: (app: Running, input: Record<string, unknown>) => withBuyer(app, input, false),
  set_weights: (app: Running, input: Record<string, unknown>) => withBuyer(app, input, true),
  rebalance: (app: Running, input: Record<string, unknown>) => withBuyer(app, input, true),
  redeem: (app: Running, input: Record<string, unknown>) => withBuyer(app, input, true),
}

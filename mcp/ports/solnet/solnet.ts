import { amountIn, mintData, tokenAccountData } from './accounts.ts'
import { type Bank, openBank } from './bank.ts'
import { openSolnetKeys, type SolnetKeys, toAddress } from './keys.ts'
import { buildMethods } from './methods.ts'
import { findTokenAccount, type SolanaNetwork, solanaNetworks } from './network.ts'
import { serveRpc } from './server.ts'

/** Initial funds of the demo wallet: 1,000 USDC. */
const demoFunds = 1_000_000_000n

/** A local Solana with the mint address of the USDC of a cluster, started when it is first asked for. */
export type Solnet = {
  /** Secret keys, for the rail and the demo wallet of this installation. Never log them. */
  keys(): Promise<SolnetKeys>
  /** Address of the JSON-RPC endpoint, on loopback. Throws `unavailable` where litesvm has no binary. */
  rpc(): Promise<string>
  /** USDC of a wallet in atomic units; undefined when it has no token account. */
  balance(owner: string): Promise<bigint | undefined>
  /** Sets the USDC of a wallet, and gives it a token account. */
  fund(owner: string, amount: bigint): Promise<void>
  /** Gives a wallet lamports. */
  airdrop(owner: string, lamports: bigint): Promise<void>
  close(): Promise<void>
}

type Running = { bank: Bank; url: string; stop(): Promise<void> }

type Options = { dir: string; now?: () => number; network?: SolanaNetwork }

/**
 * Keeps its keys in `dir`; what happened on the chain is gone with the process. `now` is for tests of expiry, `network` for those of another
 * cluster than devnet.
 */
export const openSolnet = ({ dir, now = Date.now, network = solanaNetworks.devnet }: Options): Solnet => {
  const { mint, decimals } = network
  let keysPromise: Promise<SolnetKeys> | undefined
  let running: Promise<Running> | undefined
  let closed = false

  const keys = () => {
    keysPromise ??= openSolnetKeys(dir).catch(error => {
      keysPromise = undefined
      throw error
    })
    return keysPromise
  }

  const putTokens = async (bank: Bank, owner: string, amount: bigint): Promise<void> =>
    bank.put(await findTokenAccount(mint, owner), tokenAccountData(mint, owner, amount))

  const start = async (): Promise<Running> => {
    const { feePayer, payTo, demo } = await keys()
    const bank = await openBank(now)
    bank.put(mint, mintData(decimals, 10n ** 15n))
    bank.airdrop(toAddress(feePayer), 100_000_000_000n)
    await putTokens(bank, toAddress(payTo), 0n)
    await putTokens(bank, toAddress(demo), demoFunds)
    return { bank, ...(await serveRpc(buildMethods(bank, network))) }
  }

  const run = (): Promise<Running> => {
    if (closed) return Promise.reject(new Error('the local Solana is closed'))
    running ??= start().catch(error => {
      running = undefined
      throw error
    })
    return running
  }

  return {
    keys,
    rpc: async () => (await run()).url,
    balance: async owner => {
      const { bank } = await run()
      const account = bank.account(await findTokenAccount(mint, owner))
      return account && amountIn(account.data)
    },
    fund: async (owner, amount) => putTokens((await run()).bank, owner, amount),
    airdrop: async (owner, lamports) => (await run()).bank.airdrop(owner, lamports),
    close: async () => {
      closed = true
      const started = await running?.catch(() => undefined)
      await started?.stop()
    },
  }
}

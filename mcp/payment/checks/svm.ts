import type { RemoteOptions } from '../../ports/facilitator/remote.ts'
import { toAddress } from '../../ports/solnet/keys.ts'
import { findTokenAccount, type SolanaNetwork, tokenProgram } from '../../ports/solnet/network.ts'
import { checkSupported } from './evm.ts'
import { finding, type NetworkFinding, ok, wrong } from './finding.ts'

type Look = Omit<NetworkFinding, 'check'>

export type SvmOptions = {
  network: SolanaNetwork
  rpc: string
  payTo: string
  refundKey: string | undefined
  facilitator: { key: string } | { remotes: readonly RemoteOptions[] }
}

/** Cost limit of one settlement: two signatures, and the highest fee that the facilitator of this process accepts. */
const settlementLamports = 210_000n

const openNode = async (rpc: string) => {
  const { address, createSolanaRpc } = await import('@solana/kit')
  const node = createSolanaRpc(rpc)
  return {
    genesis: () => node.getGenesisHash().send(),
    account: async (text: string) =>
      (await node.getAccountInfo(address(text), { encoding: 'base64' }).send()).value ?? undefined,
    balance: async (text: string) => BigInt((await node.getBalance(address(text)).send()).value),
  }
}

type Node = Awaited<ReturnType<typeof openNode>>

const cluster = async ({ genesis }: Node, { id, title }: SolanaNetwork): Promise<Look> => {
  const hash = await genesis()
  if (id === `solana:${hash.slice(0, 32)}`) return { state: 'ok', detail: hash }
  return { state: 'wrong', detail: `the node is of another cluster than ${title}: its genesis is ${hash}` }
}

const mint = async ({ account }: Node, network: SolanaNetwork): Promise<Look> => {
  const mintAccount = await account(network.mint)
  const data = mintAccount && Buffer.from(mintAccount.data[0], 'base64')
  const isMint = mintAccount?.owner === tokenProgram && data?.length === 82 && data[44] === network.decimals
  if (isMint) return { state: 'ok', detail: network.mint }
  return { state: 'wrong', detail: `there is no token with ${network.decimals} decimals at ${network.mint}` }
}

const payee = async ({ account }: Node, { mint }: SolanaNetwork, payTo: string): Promise<Look> => {
  const tokenAccount = await findTokenAccount(mint, payTo)
  if (await account(tokenAccount)) return { state: 'ok', detail: payTo }
  return { state: 'failing', detail: `${payTo} has no USDC account yet: send it some USDC once` }
}

const fees = async ({ balance }: Node, key: string): Promise<Look> => {
  const payer = toAddress(key)
  const lamports = await balance(payer)
  const detail = `${payer} has ${lamports} lamports`
  if (lamports < settlementLamports)
    return { state: 'failing', detail: `${detail}: too little for one settlement`, settlements: 0 }
  return {
    state: 'ok',
    detail: `${detail}, enough for ${lamports / settlementLamports} settlements at least`,
    settlements: Number(lamports / settlementLamports),
  }
}

const refunds = (payTo: string, key: string | undefined): NetworkFinding => {
  const check = 'OCTAGENT_SOLANA_REFUND_KEY'
  if (key === undefined) return ok(check, 'not set: refunds are sent from your own wallet')
  if (toAddress(key) === payTo) return ok(check, 'it is the key of OCTAGENT_SOLANA_PAY_TO')
  return wrong(check, `it is the key of ${toAddress(key)}, not of OCTAGENT_SOLANA_PAY_TO`)
}

/** Checks that a Solana cluster is what it says and payments can be settled on it. */
export const checkSvm = async ({
  network,
  rpc,
  payTo,
  refundKey,
  facilitator,
}: SvmOptions): Promise<NetworkFinding[]> => {
  const node = await openNode(rpc)
  return Promise.all([
    finding('cluster', () => cluster(node, network)),
    finding('USDC', () => mint(node, network)),
    finding('OCTAGENT_SOLANA_PAY_TO', () => payee(node, network, payTo)),
    'key' in facilitator
      ? finding('fees', () => fees(node, facilitator.key))
      : finding('facilitator', () => checkSupported(network.id, facilitator.remotes)),
    refunds(payTo, refundKey),
  ])
}

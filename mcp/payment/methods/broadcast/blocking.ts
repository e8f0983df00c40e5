import type { TransferChain } from '../../transfers/transfers.ts'

/** Why direct payments on a network cannot be taken now; empty when they can. Throws never. */
export const blockingReasons = async ({ chain, wallet }: TransferChain): Promise<string[]> => {
  try {
    if (!/^0x[0-9a-f]{40}$/i.test(await wallet())) return ['pay_to_address_not_configured']
    const chainId = await (await chain.reader()).getChainId()
    return chainId === chain.network.chainId ? [] : ['payment_network_is_another_chain']
  } catch {
    return ['payment_network_unavailable']
  }
}

import type { Hex } from 'viem'
import { type NetworkFinding, ok, wrong } from './finding.ts'
import { publishedAddresses } from './published-addresses.ts'

export type PayeeOptions = {
  payTo: string
  refundKey: string | undefined
  /** The key that pays the gas here; undefined where facilitators elsewhere do. */
  facilitatorKey: string | undefined
  /** Lower-case addresses of the local chains of this data folder. */
  localAddresses: ReadonlySet<string>
}

/** Checks the EVM addresses and keys that an operator has set; nothing is asked of anybody. */
export const checkPayee = async ({
  payTo,
  refundKey,
  facilitatorKey,
  localAddresses,
}: PayeeOptions): Promise<NetworkFinding[]> => {
  const [{ getAddress }, { privateKeyToAccount }] = await Promise.all([
    import('viem'),
    import('viem/accounts'),
  ])
  const isLocal = (address: string) =>
    publishedAddresses.has(address.toLowerCase()) || localAddresses.has(address.toLowerCase())

  const payee = (): NetworkFinding => {
    const check = 'OCTAGENT_PAY_TO'
    if (isLocal(payTo)) return wrong(check, 'it is an address of a local chain, whose key is no secret')
    if (getAddress(payTo) === payTo) return ok(check, payTo)
    return wrong(
      check,
      'its checksum (EIP-55) does not fit; copy it from your wallet, capital letters and all',
    )
  }

  const refunds = (): NetworkFinding => {
    const check = 'OCTAGENT_REFUND_KEY'
    if (refundKey === undefined) return ok(check, 'not set: refunds are sent from your own wallet')
    const { address } = privateKeyToAccount(refundKey as Hex)
    if (address.toLowerCase() === payTo.toLowerCase()) return ok(check, 'it is the key of OCTAGENT_PAY_TO')
    return wrong(check, `it is the key of ${address}, not of OCTAGENT_PAY_TO`)
  }

  const gas = (): NetworkFinding[] => {
    if (facilitatorKey === undefined) return []
    const { address } = privateKeyToAccount(facilitatorKey as Hex)
    const check = 'OCTAGENT_FACILITATOR_KEY'
    if (!isLocal(address)) return [ok(check, address)]
    return [wrong(check, 'it is a key of a local chain, which everybody knows')]
  }

  return [payee(), refunds(), ...gas()]
}

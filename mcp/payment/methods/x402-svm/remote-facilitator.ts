import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { openRemoteFacilitator, type RemoteOptions } from '../../../ports/facilitator/remote.ts'
import { joinFacilitators } from '../../../ports/facilitator/several.ts'
import type { SolanaNetwork } from '../../../ports/solnet/network.ts'
import type { CatalogueListing, Offer } from '../../method.ts'
import type { Cluster } from './cluster.ts'
import type { SvmFacilitator } from './facilitator.ts'
import { toSvmRefusal } from './refusal.ts'
import { parseTransfer, type SvmTransfer } from './transfer.ts'

/** The search for a transaction begins so long before its first try: clocks differ. */
const slackMs = 120_000
/** A blockhash lives for about a minute; what is older than this has landed long ago or never will. */
const searchMs = 300_000
const supportedLifeMs = 60_000

type Options = {
  network: SolanaNetwork
  cluster: Cluster
  remotes: readonly RemoteOptions[]
  now: () => Date
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * Facilitators elsewhere for Solana, in order of preference. A transaction names the wallet that pays its fee, so only the
 * facilitator that has that wallet can settle it: the first one that answers is offered. Which signature a transaction got there is
 * known only from the chain, where what it says is compared with what was signed.
 */
export const openRemoteSvmFacilitator = ({ network, cluster, remotes, now }: Options): SvmFacilitator => {
  const clients = remotes.map(remote => openRemoteFacilitator({ now, ...remote }))
  /** Fee payers by facilitator, as each last said. */
  const feePayers = new Map<string, string>()
  /** Signatures that facilitators have named, by what was signed; not believed before the chain shows them. */
  const signatures = new Map<string, string>()
  let lastRead = 0

  const facilitators = joinFacilitators(clients, {
    isVague: reason => toSvmRefusal(reason) === 'settlement_failed',
    takes: (name, { extra }) => feePayers.get(name) === extra.feePayer,
    now,
  })

  const ask = async (): Promise<void> => {
    const answers = await facilitators.supported()
    for (const { name, answer } of answers) {
      if (answer instanceof Error) continue
      const kind = answer.kinds.find(one => one.scheme === 'exact' && one.network === network.id)
      const feePayer = readText(kind?.extra?.feePayer)
      if (feePayer === undefined) feePayers.delete(name)
      else feePayers.set(name, feePayer)
    }
    if (feePayers.size === 0) throw new Error('no facilitator settles on this network')
    // The first that answers now is offered; the others may still be asked for what was signed for them.
    preference = answers.flatMap(({ name, answer }) =>
      answer instanceof Error ? [] : (feePayers.get(name) ?? []),
    )
    lastRead = now().getTime()
  }
  let preference: string[] = []
  let asking: Promise<void> | undefined

  const readFeePayers = async (): Promise<readonly string[]> => {
    if (now().getTime() >= lastRead + supportedLifeMs) {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      await asking
    }
    return [...new Set([...preference, ...feePayers.values()])]
  }

  const toRequest = ({ wire, amount, feePayer }: SvmTransfer, offer: Offer, listing?: CatalogueListing) => {
    const { network: id, asset, payTo, maxTimeoutSeconds } = offer
    const terms = { network: id, asset, payTo, maxTimeoutSeconds, extra: { feePayer } }
    const requirements = { scheme: 'exact', ...terms, amount: String(amount) } as PaymentRequirements
    const payload: PaymentPayload = {
      x402Version: 2,
      ...listing,
      accepted: requirements,
      payload: { transaction: wire },
    }
    return [payload, requirements] as const
  }

  const carries = async (signature: string, { hash }: SvmTransfer): Promise<boolean> => {
    const wire = await cluster.transaction(signature)
    return wire !== undefined && parseTransfer(wire)?.hash === hash
  }

  return {
    feePayers: readFeePayers,
    verify: async (transfer, offer) => {
      await readFeePayers()
      const { isValid, invalidReason } = await facilitators.verify(...toRequest(transfer, offer))
      return isValid ? undefined : toSvmRefusal(invalidReason)
    },
    signature: async (transfer, sent) => {
      const candidates = [signatures.get(transfer.hash), sent?.transaction].filter(text => text)
      for (const candidate of candidates)
        if (candidate && (await carries(candidate, transfer))) return candidate
      const since = sent ? sent.since.getTime() - slackMs : now().getTime() - searchMs
      for (const landed of await cluster.landedSince(transfer.source, new Date(since)))
        if (await carries(landed, transfer)) return landed
      return undefined
    },
    send: async (transfer, offer, listing) => {
      await readFeePayers().catch(() => undefined)
      const { transaction, facilitator } = await facilitators.settle(...toRequest(transfer, offer, listing))
      if (transaction !== '') signatures.set(transfer.hash, transaction)
      return { signature: transaction || undefined, ...(facilitator !== undefined && { facilitator }) }
    },
    forget: ({ hash }) => void signatures.delete(hash),
  }
}

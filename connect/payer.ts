import { createHash, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import { ToolError } from '../mcp/kernel/error.ts'
import type { JsonRecord } from '../mcp/lib/json.ts'
import { isLoopbackName } from '../mcp/lib/loopback.ts'
import { stablecoinOn } from '../mcp/lib/stablecoins.ts'
import { clean } from '../mcp/lib/text/clean.ts'
import { dayMs } from '../mcp/lib/time.ts'
import { formatUsd } from '../mcp/lib/usd.ts'
import { toCaip2 } from '../mcp/lib/usd-tokens.ts'
import type { PaymentLimits } from './limits.ts'
import { chooseOffer, type Offer } from './offer.ts'
import type { ServerPrice } from './price.ts'
import { openPaymentRecord, type PaymentClaim, type PaymentRecord } from './record.ts'
import { sign } from './sign.ts'
import { findDemoWallet, openSigningWallet, type SigningWallet } from './wallet.ts'

export type PayerOptions = {
  /** The server that is paid. */
  url: URL
  /** Folder of wallet, record and limits. */
  folder: string
  /** OCTAGENT_WALLET_KEY. */
  walletKey?: string | undefined
  /** Data folders of servers on this machine, whose demo wallet pays on their local chains. */
  demoFolders: readonly string[]
  limits(): Promise<PaymentLimits>
  now?: () => number
}

/** A call that asks for money. */
export type PricedCall = {
  tool: string
  input: unknown
  price: ServerPrice
  /** Price in the list of tools, in millionths of a USD. */
  listed: bigint | undefined
  /** Amount a person agreed to for this call, over the limits. */
  consented?: bigint | undefined
}

/** A payment that is claimed and signed. */
export type PreparedPayment = { claim: PaymentClaim; payload: JsonRecord; words: string }

/** Why nothing was signed. `askable` is the amount that a person may agree to. */
export type Refusal = { refused: string; advice?: string | undefined; askable?: bigint | undefined }

export type Payer = {
  /** Claims and signs what a call costs, or says why not. Never rejects. */
  prepare(call: PricedCall): Promise<PreparedPayment | Refusal>
  settled(claim: PaymentClaim, transaction: string): void
  /** The money moved and the work failed; the same payment may have it done. */
  owed(claim: PaymentClaim, transaction: string): void
  /** The server wants more, or says that the payment was not taken. It may still take it, so it counts. */
  refused(claim: PaymentClaim, reason: string): void
  unanswered(claim: PaymentClaim): void
  /** The server answered, and said nothing of the payment. */
  answered(claim: PaymentClaim): void
}

/** How long a call that was paid and got no answer is paid for by the payment that it has. */
const openMs = 3_600_000

/** True for quote data kept with its offer. */
const isSmall = (value: unknown): boolean => (JSON.stringify(value) ?? '').length <= 8192

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

const inWords = ({ micros, coin, isDevnet }: Offer): string =>
  `${formatUsd(micros)} USDC on ${coin.title}${isDevnet ? ' (a local chain)' : ''}`

/** Pays prices from the wallets of this machine, within the limits. Nothing is read, made or loaded before the first price. */
export const openPayer = ({
  url,
  folder,
  walletKey,
  demoFolders,
  limits: readLimits,
  now = Date.now,
}: PayerOptions): Payer => {
  const server = `${url.origin}${url.pathname}`
  const isLocal = isLoopbackName(url.hostname)
  let record: PaymentRecord | undefined
  const openedRecord = (): PaymentRecord => {
    record ??= openPaymentRecord(folder, now)
    return record
  }
  /** Calls that are being paid here: a second one with the same words is a call of its own. */
  const busy = new Set<string>()

  const allows =
    ({ networks }: PaymentLimits) =>
    ({ isDevnet, network, coin }: Offer): string | undefined => {
      if (isDevnet && !isLocal) return 'it is asked on a local chain by a server that is not on this machine'
      if (isDevnet) return undefined
      if (!isLocal && url.protocol !== 'https:')
        return 'the way to the server is not encrypted (http), so that anybody on it could name another payee'
      return networks.includes(network)
        ? undefined
        : `it is asked on ${coin.title}, which nobody has allowed connect to pay on`
    }

  const wallets: { demo?: SigningWallet | undefined; own?: SigningWallet } = {}
  const walletFor = async ({ isDevnet }: Offer): Promise<SigningWallet | undefined> => {
    if (isDevnet) {
      wallets.demo ??= await findDemoWallet(demoFolders)
      return wallets.demo
    }
    wallets.own ??= await openSigningWallet(folder, walletKey)
    return wallets.own
  }

  /** The payment of the same call that went out and brought no answer, or none that it was for. */
  const findOpenClaim = (
    call: string,
    { address }: SigningWallet,
    { raw }: Offer,
  ): PaymentClaim | undefined => {
    const isOpen = ({ claim, state }: ReturnType<PaymentRecord['rows']>[number]) =>
      claim.call === call &&
      claim.wallet === address &&
      claim.accepted.network === raw.network &&
      Math.abs(now() - claim.at) < openMs &&
      !busy.has(claim.id) &&
      (state === 'unanswered' || state === 'owed' || (state === 'claimed' && !isAlive(claim.pid)))
    return openedRecord().rows().findLast(isOpen)?.claim
  }

  const newClaim = (
    { tool, price }: PricedCall,
    call: string,
    offer: Offer,
    { address }: SigningWallet,
  ): Parameters<PaymentRecord['claim']>[0] => {
    const seconds = Math.floor(now() / 1000)
    return {
      wallet: address,
      micros: offer.micros,
      call,
      tool: clean(tool, 128) ?? '',
      server,
      version: price.version,
      accepted: offer.raw,
      resource: price.version === 2 && isSmall(price.resource) ? price.resource : undefined,
      authorization: {
        to: offer.payTo,
        value: String(offer.micros),
        // As the stock client: clocks of nodes are not this one's.
        validAfter: String(seconds - 600),
        validBefore: String(seconds + offer.validSeconds),
        nonce: `0x${randomBytes(32).toString('hex')}`,
      },
    }
  }

  /** Why an amount needs a person, before the budget is asked. */
  const overLimit = (
    { listed, consented = 0n }: PricedCall,
    { micros }: Offer,
    { perCall }: PaymentLimits,
  ) => {
    if (micros <= consented) return undefined
    if (listed !== undefined && micros > listed)
      return `the list of tools says that it costs ${formatUsd(listed)} USD`
    if (micros > perCall) return `a call may cost ${formatUsd(perCall)} USD at most`
    return undefined
  }

  const prepare = async (priced: PricedCall): Promise<PreparedPayment | Refusal> => {
    const limits = await readLimits()
    const tool = clean(priced.tool, 128) ?? 'The tool'
    const choice = chooseOffer(priced.price, allows(limits))
    if ('reasons' in choice)
      return {
        refused: `${tool} costs money and was not paid: ${choice.reasons.join('; ')}.`,
        advice: adviceFor(priced.price, isLocal),
      }
    const { offer } = choice
    const cost = `${tool} costs ${inWords(offer)}`
    const wallet = await walletFor(offer)
    if (!wallet)
      return {
        refused: `${cost} and was not paid: the demo wallet of the local chains was not found.`,
        advice: 'Set OCTAGENT_DATA to the data folder of the server, where devnet.json is.',
      }
    const call = createHash('sha256')
      .update(canonicalize({ server, tool: priced.tool, input: priced.input ?? {} }) ?? '')
      .digest('hex')
    const words = inWords(offer)
    const open = findOpenClaim(call, wallet, offer)
    if (open) {
      busy.add(open.id)
      return { claim: open, payload: await sign(open, wallet), words }
    }
    const { micros } = offer
    const reason = overLimit(priced, offer, limits)
    if (reason !== undefined)
      return {
        refused: `${cost} and was not paid: ${reason}.`,
        askable: micros,
        advice: `To allow it: octagent limits --per-call ${formatUsd(micros)}`,
      }
    const isConsented = micros <= (priced.consented ?? 0n)
    const since = now() - dayMs
    const { budget, total } = limits
    const ceiling = { budget: isConsented ? 2n ** 100n : budget, total, since }
    const claim = openedRecord().claim(newClaim(priced, call, offer, wallet), ceiling)
    if ('over' in claim) return overBudget(cost, claim, limits, micros)
    busy.add(claim.id)
    try {
      return { claim, payload: await sign(claim, wallet), words }
    } catch (error) {
      busy.delete(claim.id)
      openedRecord().mark(claim.id, 'released', { reason: 'nothing was signed' })
      throw error
    }
  }

  const mark = (
    { id }: PaymentClaim,
    state: 'settled' | 'owed' | 'answered' | 'refused' | 'unanswered',
    about?: { transaction?: string; reason?: string },
  ): void => {
    busy.delete(id)
    try {
      openedRecord().mark(id, state, about)
    } catch {
      // The claim stands, and counts as spent: nothing is lost but what became of it.
      forget()
    }
  }

  const forget = (): void => {
    const broken = record
    record = undefined
    try {
      broken?.close()
    } catch {
      // Closed already.
    }
  }

  return {
    async prepare(call) {
      try {
        return await prepare(call)
      } catch (error) {
        forget()
        return unpayable(error, folder)
      }
    },
    settled: (claim, transaction) => mark(claim, 'settled', { transaction }),
    owed: (claim, transaction) => mark(claim, 'owed', { transaction }),
    refused: (claim, reason) => mark(claim, 'refused', { reason }),
    unanswered: claim => mark(claim, 'unanswered'),
    answered: claim => mark(claim, 'answered'),
  }
}

const overBudget = (
  cost: string,
  { over, spent }: { over: 'budget' | 'total'; spent: bigint },
  { budget, total = 0n }: PaymentLimits,
  micros: bigint,
): Refusal =>
  over === 'total'
    ? {
        refused: `${cost} and was not paid: ${formatUsd(spent)} of ${formatUsd(total)} USD in total are spent.`,
        advice: 'To allow it: octagent limits --total, with more or none',
      }
    : {
        refused: `${cost} and was not paid: ${formatUsd(spent)} of ${formatUsd(budget)} USD for 24 hours are spent.`,
        askable: micros,
        advice: 'To allow it: octagent limits --budget, with more. What was spent: octagent spent',
      }

/** Ways to make a refused offer payable. */
const adviceFor = ({ accepts }: ServerPrice, isLocal: boolean): string | undefined => {
  const coins = accepts.flatMap(({ network, extra }) => {
    const [, chainId] = /^eip155:(\d{1,12})$/.exec(toCaip2(String(network))) ?? []
    const isDevnet = (extra as JsonRecord | undefined)?.devnet === true
    return !isDevnet && chainId !== undefined && stablecoinOn(Number(chainId)) ? [String(network)] : []
  })
  const [network] = coins
  if (network === undefined || isLocal) return undefined
  return `To pay there with real money: octagent limits --network ${clean(network, 60)}, and send USDC to the address that octagent wallet prints`
}

/** Explains why the wallet or the record fails, in words without what they hold. */
const unpayable = (error: unknown, folder: string): Refusal => {
  if (error instanceof ToolError)
    return { refused: `Nothing was paid: ${error.message}`, advice: error.extra.hint }
  const code = (error as NodeJS.ErrnoException)?.code
  return {
    refused: 'Nothing was paid: the payment could not be recorded, and what is not recorded is not signed.',
    advice: `${folder} cannot be written${code === undefined ? '' : ` (${code})`}. Set OCTAGENT_WALLET_DIR to a folder that can.`,
  }
}

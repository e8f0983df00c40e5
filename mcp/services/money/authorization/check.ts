import {
  type Address,
  encodeFunctionData,
  formatUnits,
  type Hex,
  hexToNumber,
  type PublicClient,
  size,
  slice,
} from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Authorization } from '../../../lib/eip3009.ts'
import { authorizationAbi } from '../../../lib/evm-abi.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import { readableChain } from '../stablecoin/chains.ts'
import { onChain, openReader, questionGas } from '../stablecoin/reader.ts'
import { readRevert } from '../stablecoin/revert.ts'
import { domainSeparator, isBlocked, isPaused, tokenAbi } from '../stablecoin/token.ts'
import { domainFor, expectedDigest } from './digest.ts'
import { readSignature, type SignatureReading } from './signature.ts'
import { findNonceUse } from './use.ts'

/** Requested terms of a payment. */
export type RequestedTerms = { payTo: Address | undefined; amount: bigint | undefined }

/** One check: `failed` stops the payment, `unknown` could not be looked at. */
export type Check = {
  check:
    | 'recipient'
    | 'amount'
    | 'window'
    | 'signature'
    | 'token'
    | 'nonce'
    | 'block_list'
    | 'balance'
    | 'transfer'
  state: 'ok' | 'failed' | 'unknown'
  code: string | null
  message: string
}

type Name = Check['check']

const ok = (check: Name, message: string): Check => ({ check, state: 'ok', code: null, message })
const toFailedCheck = (check: Name, code: string, message: string): Check => ({
  check,
  state: 'failed',
  code,
  message,
})
const unknown = (check: Name, message: string): Check => ({ check, state: 'unknown', code: null, message })

type Work = {
  coin: Stablecoin
  authorization: Authorization
  signature: Hex
  expected: RequestedTerms
  /** Unix seconds. */
  now: bigint
  reader: PublicClient | undefined
}

const usdc = (value: bigint): string => `${formatUnits(value, 6)} USDC`

const checkRecipient = ({ coin, authorization: { to }, expected: { payTo } }: Work): Check => {
  if (/^0x0{40}$/.test(to))
    return toFailedCheck('recipient', 'payee_zero', 'to is the zero address: the token refuses it.')
  if (to.toLowerCase() === coin.address.toLowerCase())
    return toFailedCheck('recipient', 'payee_is_token', 'to is the token itself: what is paid would be lost.')
  if (payTo && payTo !== to)
    return toFailedCheck('recipient', 'wrong_recipient', `to is ${to}; ${payTo} was to be paid.`)
  return ok('recipient', `${to} is paid.`)
}

const checkAmount = ({ authorization: { value }, expected: { amount } }: Work): Check => {
  if (value === 0n) return toFailedCheck('amount', 'amount_zero', 'value is 0: nothing is paid.')
  if (amount === undefined || amount === value) return ok('amount', `${usdc(value)} are paid.`)
  for (const shift of [12n, 2n, 6n])
    if (value === amount * 10n ** shift || amount === value * 10n ** shift)
      return toFailedCheck(
        'amount',
        'wrong_decimals',
        `value is ${usdc(value)}, the price ${usdc(amount)}: they differ by ${shift} digits. USDC has 6 decimals.`,
      )
  return value < amount
    ? toFailedCheck('amount', 'too_little', `value is ${usdc(value)}; the price is ${usdc(amount)}.`)
    : toFailedCheck(
        'amount',
        'too_much',
        `value is ${usdc(value)}, more than the price of ${usdc(amount)}; "exact" wants just that.`,
      )
}

/** Unix milliseconds look like a year far away. */
const farFuture = 100_000_000_000n
/** Facilitators want some seconds left. */
const minSeconds = 6n

const iso = (seconds: bigint): string => {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString()
}

const checkWindow = ({ authorization: { validAfter, validBefore }, now }: Work): Check => {
  const fail = (code: string, message: string) => toFailedCheck('window', code, message)
  if (validAfter >= farFuture)
    return fail(
      'milliseconds',
      `validAfter is ${validAfter}: it looks like milliseconds, and is counted in seconds.`,
    )
  if (validAfter >= validBefore)
    return fail('empty_window', 'validAfter is not before validBefore: it never holds.')
  if (validAfter >= now)
    return fail(
      'not_yet_valid',
      `It holds from ${iso(validAfter)}, ${validAfter - now + 1n} s from now. A clock that is ahead makes this: set validAfter some minutes back.`,
    )
  if (validBefore <= now)
    return fail('expired', `It expired at ${iso(validBefore)}, ${now - validBefore} s ago.`)
  if (validBefore < now + minSeconds)
    return fail(
      'expires_now',
      `It expires in ${validBefore - now} s; facilitators want ${minSeconds} s or more.`,
    )
  return ok('window', `It holds until ${iso(validBefore)}.`)
}

const toSignatureCheck = ({ valid, code, message }: SignatureReading): Check => {
  if (valid === null) return unknown('signature', message)
  return valid ? ok('signature', message) : toFailedCheck('signature', code ?? 'invalid_signature', message)
}

const checkToken = async ({ coin }: Work, reader: PublicClient): Promise<Check> => {
  const code = await onChain(reader.getCode({ address: coin.address }))
  if (!code)
    return toFailedCheck('token', 'no_token', `There is no token at ${coin.address} on ${coin.title}.`)
  const separator = await onChain(
    reader.readContract({ address: coin.address, abi: tokenAbi, functionName: 'DOMAIN_SEPARATOR' }),
  )
  if (separator !== domainSeparator(domainFor(coin)))
    return toFailedCheck(
      'token',
      'domain_changed',
      `The token on ${coin.title} signs under another domain than "${coin.name}", "${coin.version}".`,
    )
  if (await isPaused(reader, coin.address))
    return toFailedCheck('token', 'paused', `USDC on ${coin.title} is paused by its issuer.`)
  return ok('token', `${coin.address}, "${coin.name}" version ${coin.version}.`)
}

const checkNonce = async ({ coin, authorization }: Work, reader: PublicClient): Promise<Check> => {
  const { state, transaction } = await findNonceUse(reader, coin, authorization.from, authorization.nonce)
  if (state === 'unused') return ok('nonce', 'The nonce is unused.')
  const where = transaction ? ` in ${transaction}` : ''
  if (state === 'cancelled')
    return toFailedCheck(
      'nonce',
      'nonce_cancelled',
      `The payer cancelled the nonce${where}: nothing was paid with it. Sign anew.`,
    )
  if (state === 'used')
    return toFailedCheck(
      'nonce',
      'nonce_used',
      `The nonce was used${where}. The payment may have been made: look there before paying again.`,
    )
  return toFailedCheck(
    'nonce',
    'nonce_spent',
    'The nonce was used or cancelled, too long ago to find where. Look before paying again.',
  )
}

const checkBlocks = async (
  { coin, authorization: { from, to } }: Work,
  reader: PublicClient,
): Promise<Check> => {
  const [payer, payee] = await Promise.all([
    isBlocked(reader, coin.address, from),
    isBlocked(reader, coin.address, to),
  ])
  if (payer)
    return toFailedCheck('block_list', 'payer_blocked', `The issuer of USDC has blocked the payer ${from}.`)
  if (payee)
    return toFailedCheck('block_list', 'payee_blocked', `The issuer of USDC has blocked the payee ${to}.`)
  if (payer === undefined) return unknown('block_list', 'The token has no block list that can be read.')
  return ok('block_list', 'Neither side is blocked.')
}

const checkBalance = async (
  { coin, authorization: { from, value } }: Work,
  reader: PublicClient,
): Promise<Check> => {
  const balance = await onChain(
    reader.readContract({ address: coin.address, abi: tokenAbi, functionName: 'balanceOf', args: [from] }),
  )
  if (balance >= value) return ok('balance', `The payer has ${usdc(balance)} on ${coin.title}.`)
  const isShifted = value % 10n ** 12n === 0n && value / 10n ** 12n <= balance
  return isShifted
    ? toFailedCheck(
        'balance',
        'wrong_decimals',
        `value is ${usdc(value)}: it looks counted with 18 decimals, and USDC has 6.`,
      )
    : toFailedCheck(
        'balance',
        'insufficient_funds',
        `The payer has ${usdc(balance)} on ${coin.title}; ${usdc(value)} are needed.`,
      )
}

/** Keys sign r, s and v apart, which every version of the token takes; accounts sign bytes, which version 2.2 takes. */
const toCallData = ({ authorization, signature }: Work): Hex => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const terms = [from, to, value, validAfter, validBefore, nonce] as const
  const functionName = 'transferWithAuthorization' as const
  if (size(signature) !== 65)
    return encodeFunctionData({ abi: authorizationAbi, functionName, args: [...terms, signature] })
  const [r, s] = [slice(signature, 0, 32), slice(signature, 32, 64)]
  const v = hexToNumber(slice(signature, 64, 65))
  return encodeFunctionData({ abi: authorizationAbi, functionName, args: [...terms, v, r, s] })
}

const simulate = async (work: Work, reader: PublicClient): Promise<Check> => {
  try {
    // Anybody may carry an authorization; an address that nobody has shows that.
    const account = '0x00000000000000000000000000000000000e3009'
    await onChain(reader.call({ account, to: work.coin.address, data: toCallData(work), gas: questionGas }))
    return ok('transfer', 'The transfer goes through when it is tried on the chain as it is now.')
  } catch (problem) {
    if (problem instanceof ToolError) throw problem
    return toFailedCheck(
      'transfer',
      'reverts',
      `The transfer reverts when it is tried: ${readRevert(problem) ?? 'without a reason'}.`,
    )
  }
}

const checkChain = async (work: Work, reader: PublicClient): Promise<Check[]> => {
  const token = await checkToken(work, reader)
  if (token.state === 'failed') return [token]
  const rest = await Promise.all([
    checkNonce(work, reader),
    checkBlocks(work, reader),
    checkBalance(work, reader),
  ])
  return [token, ...rest]
}

type Input = Omit<Work, 'reader' | 'now'> & { now: Date }

const notRead = (name: Name, { title }: Stablecoin): Check => unknown(name, `${title} is not read here.`)

/**
 * Looks at an authorization as the token would, in the order in which a payment fails. Throws a retryable `upstream` when the chain
 * does not answer.
 */
export const checkAuthorization = async (
  { evm, signal }: { evm: Evm; signal: AbortSignal },
  { now, ...input }: Input,
) => {
  const { coin, authorization, signature } = input
  const chain = readableChain(coin.chainId)
  const reader = chain && openReader(evm, chain, signal)
  const work: Work = { ...input, now: BigInt(Math.floor(now.getTime() / 1000)), reader }
  const [reading, onChainChecks] = await Promise.all([
    readSignature(reader, coin, authorization, signature),
    reader
      ? checkChain(work, reader)
      : (['token', 'nonce', 'block_list', 'balance'] as const).map(name => notRead(name, coin)),
  ])
  const checks = [
    checkRecipient(work),
    checkAmount(work),
    checkWindow(work),
    toSignatureCheck(reading),
    ...onChainChecks,
  ]
  const isSound = checks.every(({ state }) => state !== 'failed')
  const isUndeployed = reading.kind === 'erc6492'
  if (isSound && reader && !isUndeployed) checks.push(await simulate(work, reader))
  return {
    checks,
    first: checks.find(({ state }) => state === 'failed') ?? null,
    domain: domainFor(coin),
    digest: expectedDigest(coin, authorization),
    signature: reading,
    isRead: reader !== undefined,
  }
}

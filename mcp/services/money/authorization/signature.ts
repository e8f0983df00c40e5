import {
  type Hex,
  hashMessage,
  hexToBigInt,
  isErc6492Signature,
  type PublicClient,
  parseAbi,
  parseErc6492Signature,
  size,
  slice,
} from 'viem'
import type { Authorization } from '../../../lib/eip3009.ts'
import { recoverSigner } from '../../../lib/recover-signer.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import { onChain, orUndefined } from '../stablecoin/reader.ts'
import { parseDelegate } from '../stablecoin/token.ts'
import { buildVariants, expectedDigest } from './digest.ts'

export const signatureKinds = ['key', 'erc1271', 'eip7702', 'erc6492'] as const

/**
 * What a signature is. `valid` is null where only the chain could tell and it is not read here. `signer` is whom the bytes recover to,
 * where they are of a key.
 */
export type SignatureReading = {
  kind: (typeof signatureKinds)[number]
  valid: boolean | null
  signer: Hex | null
  delegate: Hex | null
  code: string | null
  message: string
}

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const isSame = (one: string | undefined, other: string): boolean => one?.toLowerCase() === other.toLowerCase()

const isValidAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])

/** Asks an account about a signature as the token does (ERC-1271). */
const accepts = async (reader: PublicClient, account: Hex, digest: Hex, signature: Hex): Promise<boolean> => {
  const answer = await orUndefined(
    reader.readContract({
      address: account,
      abi: isValidAbi,
      functionName: 'isValidSignature',
      args: [digest, signature],
    }),
  )
  return answer === '0x1626ba7e'
}

type Test = (digest: Hex) => Promise<boolean>

/** Names and versions: what an account on the chain is asked about besides, each with a question to a node. */
const maxAccountVariants = 8

/** The first mistake under which a signature holds, in words. */
const explain = async (
  coin: Stablecoin,
  authorization: Authorization,
  test: Test,
  maxVariants = Number.POSITIVE_INFINITY,
): Promise<{ code: string; words: string } | undefined> => {
  for (const variant of buildVariants(coin, authorization).slice(0, maxVariants))
    if (await test(variant.digest)) return variant
  const digest = expectedDigest(coin, authorization)
  if (await test(hashMessage({ raw: digest })))
    return { code: 'personal_sign', words: 'as a personal message (EIP-191); it is typed data (EIP-712)' }
  return undefined
}

const readKey = async (
  coin: Stablecoin,
  authorization: Authorization,
  signature: Hex,
): Promise<SignatureReading> => {
  const reading = { kind: 'key', signer: null, delegate: null } as const
  const fail = (code: string, message: string, signer: Hex | null = null): SignatureReading => ({
    ...reading,
    valid: false,
    signer,
    code,
    message,
  })
  const length = size(signature)
  if (length === 64)
    return fail('compact_signature', 'The signature has 64 bytes (EIP-2098); USDC takes 65: r, s and v.')
  if (length !== 65)
    return fail(
      'account_not_deployed',
      `The signature has ${length} bytes, as smart accounts sign; on ${coin.title} there is no account at ${authorization.from}, so the token expects the 65 bytes of a key. Deploy the account first, or wrap the signature by ERC-6492.`,
    )
  const digest = expectedDigest(coin, authorization)
  const signer = await recoverSigner(digest, signature)
  const v = hexToBigInt(slice(signature, 64, 65))
  if (isSame(signer, authorization.from)) {
    if (v !== 27n && v !== 28n)
      return fail('signature_v', `v of the signature is ${v}; USDC takes 27 or 28 only: add 27.`, signer)
    if (hexToBigInt(slice(signature, 32, 64)) > halfOrder)
      return fail(
        'signature_high_s',
        's of the signature is in the upper half; USDC takes the lower one only.',
        signer,
      )
    return {
      ...reading,
      valid: true,
      signer: signer ?? null,
      code: null,
      message: 'The key of the payer signed it.',
    }
  }
  const mistake = await explain(coin, authorization, async other =>
    isSame(await recoverSigner(other, signature), authorization.from),
  )
  if (mistake) return fail(mistake.code, `It was signed ${mistake.words}.`, authorization.from)
  return fail(
    'wrong_signer',
    signer
      ? `The signature is that of ${signer}, not of ${authorization.from}: another key signed, or a field was changed after signing.`
      : 'The signature is that of nobody: its bytes are no signature.',
    signer ?? null,
  )
}

const readAccount = async (
  reader: PublicClient,
  coin: Stablecoin,
  authorization: Authorization,
  signature: Hex,
  delegate: Hex | undefined,
): Promise<SignatureReading> => {
  const kind = delegate ? ('eip7702' as const) : ('erc1271' as const)
  const { from } = authorization
  const digest = expectedDigest(coin, authorization)
  const signer = size(signature) === 65 ? ((await recoverSigner(digest, signature)) ?? null) : null
  const reading = { kind, signer, delegate: delegate ?? null }
  if (await accepts(reader, from, digest, signature))
    return {
      ...reading,
      valid: true,
      code: null,
      message: delegate
        ? 'The code that the wallet delegates to (EIP-7702) accepts the signature.'
        : 'The smart account accepts the signature (ERC-1271).',
    }
  const fail = (code: string, message: string): SignatureReading => ({
    ...reading,
    valid: false,
    code,
    message,
  })
  if (delegate && isSame(signer ?? undefined, from))
    return fail(
      'delegate_refuses',
      `The key of the wallet signed it rightly, but the wallet delegates to ${delegate} (EIP-7702), USDC asks that code, and it refuses. Sign as that code expects, or end the delegation.`,
    )
  const isKeys = delegate !== undefined && size(signature) === 65
  const mistake = isKeys
    ? await explain(coin, authorization, async other => isSame(await recoverSigner(other, signature), from))
    : await explain(coin, authorization, other => accepts(reader, from, other, signature), maxAccountVariants)
  if (mistake) return fail(mistake.code, `It was signed ${mistake.words}.`)
  return fail(
    'account_refuses',
    `The smart account ${from} refuses the signature (ERC-1271): its owner did not sign this, or it signs under a domain of its own.`,
  )
}

const readWrapped = async (
  reader: PublicClient | undefined,
  coin: Stablecoin,
  authorization: Authorization,
  signature: Hex,
  code: Hex | undefined,
): Promise<SignatureReading> => {
  const reading = { kind: 'erc6492', signer: null, delegate: null } as const
  if (!reader)
    return {
      ...reading,
      valid: null,
      code: null,
      message: 'Only the chain can tell, and it is not read here.',
    }
  if (code) {
    const inner = parseErc6492Signature(signature).signature
    const account = await readAccount(reader, coin, authorization, inner, parseDelegate(code))
    return {
      ...account,
      kind: 'erc6492',
      message: account.valid
        ? 'The account exists and accepts the signature inside; the wrapping of ERC-6492 is not needed any more, and whoever settles must take it off.'
        : account.message,
    }
  }
  const hash = expectedDigest(coin, authorization)
  const valid = await onChain(reader.verifyHash({ address: authorization.from, hash, signature }))
  return valid
    ? {
        ...reading,
        valid: true,
        code: null,
        message:
          'The account is not deployed; its factory makes one that accepts the signature. Whoever settles must deploy it first: USDC itself does not know ERC-6492.',
      }
    : {
        ...reading,
        valid: false,
        code: 'account_refuses',
        message:
          'The account that the factory would make does not accept the signature, or is not made at the payer (ERC-6492).',
      }
}

/** Tells whose signature it is, and why the token would refuse it. Without a reader, only keys can be told. */
export const readSignature = async (
  reader: PublicClient | undefined,
  coin: Stablecoin,
  authorization: Authorization,
  signature: Hex,
): Promise<SignatureReading> => {
  const code = reader && (await onChain(reader.getCode({ address: authorization.from })))
  if (isErc6492Signature(signature)) return readWrapped(reader, coin, authorization, signature, code)
  if (reader && code) return readAccount(reader, coin, authorization, signature, parseDelegate(code))
  if (!reader && size(signature) !== 65 && size(signature) !== 64)
    return {
      kind: 'erc1271',
      valid: null,
      signer: null,
      delegate: null,
      code: null,
      message: 'A smart account signed; only the chain can tell, and it is not read here.',
    }
  return readKey(coin, authorization, signature)
}

import type { Hex } from 'viem'

const open = async () => {
  const [{ instantiateSecp256k1 }, { publicKeyToAddress }] = await Promise.all([
    // The module of the curve alone: the package has a hundred others.
    import('@bitauth/libauth/build/lib/crypto/secp256k1.js'),
    import('viem/accounts'),
  ])
  return { curve: await instantiateSecp256k1(), publicKeyToAddress }
}

let secp256k1Loading: ReturnType<typeof open> | undefined

const digestForm = /^0x[0-9a-f]{64}$/i
const signatureForm = /^0x[0-9a-f]{130}$/i

const recoveryIds: ReadonlyMap<number, 0 | 1> = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
])

/**
 * Whose key signed a digest of 32 bytes (secp256k1): what viem's `recoverAddress` answers, by libsecp256k1 in WebAssembly, in a tenth of
 * the time. As there, v is 0, 1, 27 or 28, and the higher s is taken too. Undefined where viem throws: no key can have signed that.
 */
export const recoverSigner = async (digest: Hex, signature: Hex): Promise<Hex | undefined> => {
  if (!digestForm.test(digest) || !signatureForm.test(signature)) return undefined
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const recoveryId = recoveryIds.get(bytes.readUInt8(64))
  if (recoveryId === undefined) return undefined
  secp256k1Loading ??= open()
  const { curve, publicKeyToAddress } = await secp256k1Loading
  const hash = Buffer.from(digest.slice(2), 'hex')
  const key = curve.recoverPublicKeyUncompressed(bytes.subarray(0, 64), recoveryId, hash)
  // A text says why there is none.
  return typeof key === 'string' ? undefined : publicKeyToAddress(`0x${Buffer.from(key).toString('hex')}`)
}
